// Two hosts, one of them down all night: what the client keeps for both at once, the one that is down uses up, and the one
// that is well pays for it; what is kept per host is not.

import assert from 'node:assert/strict';
import test from 'node:test';
import type { Decision, Operation } from '../clients/policy.ts';
import type { TaskObserver } from '../clients/task.ts';
import { nightFiles } from './books/night-files.ts';
import { discrepancies } from './books/reconcile.ts';
import { CLOCKS, type ClockName, type Night, runNight } from './night.ts';
import { smallStorm } from './testing.ts';

const [DOWN, WELL] = ['down.example', 'well.example'];
const ITEMS_EACH = 200;
const SEED = 5;
const STRATEGIES = ['client-wide', 'per-host'] as const;

const BREAKER = { cooldown_ms: 5000, probes: 1, limits_are_failures: false, when_open: 'fail' };
interface Kind {
  readonly policy: string;
  readonly settings: object;
  /** Operations of the host that is well that the policy refused, kept client-wide and per host. */
  readonly refused: readonly [clientWide: number, perHost: number];
}
const KINDS: readonly Kind[] = [
  {
    policy: 'aws_retry_quota',
    settings: { capacity: 100, transient_cost: 10, throttling_cost: 5, no_retry_refund: 1 },
    refused: [47, 0],
  },
  { policy: 'grpc_throttle', settings: { max_tokens: 10, token_ratio: 0.5 }, refused: [47, 1] },
  {
    policy: 'finagle_budget',
    settings: { percent_can_retry: 0.2, min_retries_per_s: 1, ttl_ms: 10_000 },
    refused: [37, 1],
  },
  { policy: 'envoy_budget', settings: { budget_percent: 20, min_retry_concurrency: 2 }, refused: [48, 16] },
  {
    policy: 'circuit_breaker',
    settings: { failure_rate: 0.5, window_ms: 10_000, min_calls: 10, ...BREAKER },
    refused: [192, 0],
  },
  { policy: 'consecutive_breaker', settings: { threshold: 5, ...BREAKER }, refused: [193, 0] },
];

/** Strategies that differ in nothing but whether the policy is client-wide or per host. Without hosts, all is one host. */
function scenarioOf({ policy, settings }: Kind, hosts?: readonly string[]) {
  const strategyWith = (perHost: boolean) => {
    const tried = { policy, ...settings, per_host: perHost };
    const retries = [
      { policy: 'classification', retry_statuses: [500, 503] },
      { policy: 'attempt_cap', attempts: 4 },
      { policy: 'exponential_backoff', base_ms: 400, cap_ms: 400, jitter_ms: [0, 0] },
    ];
    return {
      request: { hosts },
      scheduler: { kind: 'checkpointed_items', concurrency: 8, hold_slot_while_waiting: true },
      policies: policy.endsWith('breaker') ? [tried, ...retries] : [...retries, tried],
    };
  };
  return smallStorm({
    fitted: [],
    'task.items': 2 * ITEMS_EACH,
    'platform.gates': [
      { gate: 'billing' },
      { gate: 'outage', from_s: 0, to_s: 100_000, retry_after: { form: 'absent' }, hosts: hosts && [DOWN] },
      { gate: 'fault', rate: 0.2 },
    ],
    strategies: Object.fromEntries(STRATEGIES.map((name) => [name, strategyWith(name === 'per-host')])),
  });
}

interface Counted {
  readonly night: Night;
  /** Of the host that is well: items done, and operations that ended because the policy refused. */
  readonly done: number;
  readonly refused: number;
}

async function count(kind: Kind, strategy: string, clock: ClockName): Promise<Counted> {
  let done = 0;
  let refused = 0;
  const note = ({ host }: Operation, decision: Decision) => {
    if (host !== WELL || decision.kind === 'retry') return;
    if (decision.reason === 'done') done++;
    if (decision.reason === 'retry_budget_exhausted' || decision.reason === 'circuit_open') refused++;
  };
  const client: TaskObserver = {
    attempt: (_, { operation }, decision) => note(operation, decision),
    refused: (operation, _, decision) => note(operation, decision),
  };
  const spec = { scenario: scenarioOf(kind, [DOWN, WELL]), strategy, seed: SEED, clock };
  return { night: await runNight(spec, { verdict: () => {}, client }), done, refused };
}

for (const kind of KINDS) {
  const { policy, refused } = kind;

  for (const [index, strategy] of STRATEGIES.entries()) {
    test(`${policy}, ${strategy}: ${refused[index]} of ${ITEMS_EACH} items of the host that is well are refused`, async () => {
      const [virtual, lockstep] = await Promise.all(CLOCKS.map((clock) => count(kind, strategy, clock)));
      assert.ok(virtual && lockstep);
      assert.deepEqual([virtual.done, virtual.refused], [ITEMS_EACH - (refused[index] ?? 0), refused[index]]);
      assert.deepEqual(nightFiles(lockstep.night), nightFiles(virtual.night));
      assert.deepEqual({ ...lockstep, night: { ...lockstep.night, clock: 'virtual' } }, virtual);
      assert.deepEqual(discrepancies(virtual.night), []);
    });
  }

  test(`${policy}: with one host it is the same night, client-wide or per host`, async () => {
    const scenario = scenarioOf(kind);
    const [clientWide, perHost] = await Promise.all(
      STRATEGIES.map((strategy) => runNight({ scenario, strategy, seed: SEED, clock: 'virtual' })),
    );
    assert.ok(clientWide && perHost);
    assert.deepEqual({ ...perHost, strategy: clientWide.strategy }, clientWide);
  });
}
