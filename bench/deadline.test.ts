// No operation outlives its deadline: any night, both schedulers, slots held or given back while waiting, whatever else makes it
// wait. What passes the deadline is neither sent, nor prepared, nor waited for.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { Decision, Operation } from '../clients/policy.ts';
import { nightFiles } from './books/night-files.ts';
import { discrepancies } from './books/reconcile.ts';
import { type ClockName, type Night, runNight } from './night.ts';
import type { Scenario } from './scenario/scenario.ts';
import { smallStorm } from './testing.ts';

fc.configureGlobal({ seed: 20261016 });

const SCHEDULERS = [
  { kind: 'replay_batches', batch_size: 7, max_passes: 2, pause_after_pass_ms: 100, skip_done: true },
  { kind: 'checkpointed_items', hold_slot_while_waiting: true },
  { kind: 'checkpointed_items', hold_slot_while_waiting: false },
] as const;

const BREAKER = {
  policy: 'circuit_breaker',
  failure_rate: 0.5,
  window_ms: 5000,
  min_calls: 5,
  cooldown_ms: 700,
  probes: 1,
  limits_are_failures: true,
  when_open: 'wait',
};
/** What else may make an attempt wait. */
const GATES = [[], [{ policy: 'rate_cap', per_s: 3 }], [BREAKER], [{ policy: 'adaptive_rate' }]] as const;
const HEARD = { policy: 'retry_after', too_long: 'never_shorten', limit_ms: 60_000, floor_ms: 0, fallback_ms: null };

interface Bounds {
  readonly budgetMs: number;
  readonly reserveMs: number;
  readonly prepMs: number;
}

const drawn = fc.record({
  scheduler: fc.constantFrom(...SCHEDULERS),
  concurrency: fc.integer({ min: 1, max: 3 }),
  gates: fc.constantFrom(...GATES),
  budgetMs: fc.integer({ min: 1, max: 6000 }),
  reserveMs: fc.oneof(fc.constant(0), fc.nat(1500)),
  attemptMs: fc.option(fc.integer({ min: 1, max: 900 })),
  prepMs: fc.oneof(fc.constant(0), fc.nat(600)),
  waitMs: fc.integer({ min: 1, max: 2000 }),
  latencyMs: fc.integer({ min: 1, max: 1500 }),
  faults: fc.constantFrom(0.3, 0.7, 1),
  toldS: fc.nat(4),
  seed: fc.nat(10_000),
});
type Drawn = typeof drawn extends fc.Arbitrary<infer T> ? T : never;

function scenarioOf({ scheduler, concurrency, gates, waitMs, latencyMs, toldS, ...each }: Drawn): Scenario {
  const { budgetMs, reserveMs, attemptMs, prepMs, faults } = each;
  const deadline = { policy: 'deadline', budget_ms: budgetMs, reserve_ms: reserveMs, attempt_ms: attemptMs };
  const policies = [
    ...gates,
    { policy: 'attempt_cap', attempts: 6 },
    { policy: 'fixed_backoff', wait_ms: waitMs },
    { ...HEARD, jitter_ms: [0, 0], only_limits: false },
    deadline,
  ];
  return smallStorm({
    fitted: [],
    strategies: { tested: { scheduler: { ...scheduler, concurrency }, policies } },
    'task.items': 20,
    'task.prep_ms': prepMs,
    'platform.latency_ms': [1, latencyMs],
    'platform.gates': [
      { gate: 'soft_limit', rate: 0.2, retry_after: { form: 'seconds', value_s: toldS } },
      { gate: 'billing' },
      { gate: 'fault', rate: faults },
    ],
  });
}

interface Ends {
  readonly night: Night;
  /** Operations that were told of their end. */
  readonly ended: Set<Operation>;
}

/** Runs a night and holds every attempt, decision and end of it against its operation's deadline. */
async function held(scenario: Scenario, clock: ClockName, seed: number, bounds: Bounds): Promise<Ends> {
  const { budgetMs, reserveMs, prepMs } = bounds;
  const ended = new Set<Operation>();
  const lastStartMs = ({ firstSentMs = 0 }: Operation) => firstSentMs + budgetMs - Math.max(1, reserveMs);
  const decided = (operation: Operation, nowMs: number, decision: Decision) => {
    if (decision.kind === 'stop') ended.add(operation);
    // Its time runs from its first attempt; until then it may wait as long as it must.
    if (operation.firstSentMs === undefined) return;
    const name = `operation ${operation.pass}/${operation.item}, at ${nowMs}`;
    assert.ok(nowMs <= operation.firstSentMs + budgetMs, `${name}: after its deadline`);
    if (decision.kind === 'retry')
      assert.ok(nowMs + decision.waitMs + prepMs <= lastStartMs(operation), `${name}: waits and prepares in vain`);
  };
  const night = await runNight(
    { scenario, strategy: 'tested', seed, clock },
    {
      verdict: () => {},
      client: {
        attempt(_, { operation, attempt, sentMs, receivedMs }, decision) {
          const name = `attempt ${attempt} of ${operation.pass}/${operation.item}`;
          assert.ok(sentMs <= lastStartMs(operation), `${name} started at ${sentMs}`);
          decided(operation, receivedMs, decision);
        },
        refused: decided,
      },
    },
  );
  return { night, ended };
}

test('no attempt starts or ends, no wait is begun and no operation ends after its deadline', async () => {
  await fc.assert(
    fc.asyncProperty(drawn, async (each) => {
      const { night, ended } = await held(scenarioOf(each), 'virtual', each.seed, each);
      assert.equal(night.stopReason, 'done');
      assert.equal(ended.size, night.operations.begun, 'every operation was told of its end');
      assert.deepEqual(discrepancies(night), []);
    }),
    { numRuns: 300 },
  );
});

test('and over HTTP it is the same night', async () => {
  await fc.assert(
    fc.asyncProperty(drawn, async (each) => {
      const scenario = scenarioOf(each);
      const virtual = await held(scenario, 'virtual', each.seed, each);
      const lockstep = await held(scenario, 'lockstep', each.seed, each);
      assert.deepEqual(nightFiles(lockstep.night), nightFiles(virtual.night));
      assert.equal(lockstep.night.endedMs, virtual.night.endedMs);
    }),
    { numRuns: 20 },
  );
});
