// One body for every strategy of the catalogue and every clock: the same attempts at the same times, and no schedule that
// exceeds the strategy's own attempt cap, call budget or deadline.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { PolicySettings } from '../clients/strategies/build-policies.ts';
import { CATALOGUE } from '../clients/strategies/catalogue.ts';
import type { StrategySettings } from '../clients/strategies/settings.ts';
import { discrepancies } from './books/reconcile.ts';
import { summarise } from './books/summary.ts';
import { CLOCKS, type ClockName, type Night, runNight } from './night.ts';
import type { Scenario } from './scenario/scenario.ts';
import { smallStorm } from './testing.ts';

fc.configureGlobal({ seed: 20261016 });

const ALL = Object.fromEntries(Object.keys(CATALOGUE).map((name) => [name, {}]));
const scripted = (replies: readonly object[], after: 'ok' | 'last', changes: Readonly<Record<string, unknown>> = {}) =>
  smallStorm({
    ...changes,
    fitted: [],
    strategies: ALL,
    'task.items': 13,
    'platform.gates': [{ gate: 'scripted', replies, after }],
  });

/** Seed 003's list; one that never ends well; and statuses of every kind, a lost reply included. */
const SCRIPTS: Readonly<Record<string, Scenario>> = {
  'the script of seed 003': scripted(
    [{ status: 429, retry_after: '1' }, { status: 429, retry_after: '1' }, { status: 503 }],
    'ok',
  ),
  'always 503': scripted([{ status: 503, retry_after: '2' }], 'last'),
  'every kind': scripted(
    [
      { status: 200, lost: true },
      { status: 429, retry_after: 'soon' },
      { status: 502 },
      { status: 500, retry_after: '3600' },
      { status: 404 },
    ],
    'ok',
  ),
  'dates, and a calendar that is set': scripted(
    [
      { status: 429, retry_after: 'Fri, 16 Oct 2026 02:00:08 GMT' },
      { status: 503, retry_after: 'Fri, 16 Oct 2026 02:00:12 GMT' },
    ],
    'ok',
    {
      'task.calendar': {
        steps: [
          { at_s: 6, by_s: -2 },
          { at_s: 9, by_s: 3600 },
          { at_s: 11, by_s: -3599 },
        ],
      },
    },
  ),
  storm: smallStorm({ fitted: [], strategies: ALL, 'task.items': 150, 'platform.gates.2.calls': 260 }),
};

interface Attempt {
  readonly item: number;
  readonly pass: number;
  readonly attempt: number;
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly replyClass: string;
  readonly decision: unknown;
}

async function attemptsOf(
  scenario: Scenario,
  strategy: string,
  clock: ClockName,
): Promise<{ night: Night; attempts: Attempt[] }> {
  const attempts: Attempt[] = [];
  const night = await runNight(
    { scenario, strategy, seed: 11, clock },
    {
      verdict: () => {},
      client: {
        attempt: (_, { operation, attempt, sentMs, receivedMs, replyClass }, decision) =>
          attempts.push({
            item: operation.item,
            pass: operation.pass,
            attempt,
            sentMs,
            receivedMs,
            replyClass,
            decision,
          }),
        refused: () => {},
      },
    },
  );
  return { night, attempts };
}

for (const name of Object.keys(CATALOGUE)) {
  for (const [script, scenario] of Object.entries(SCRIPTS)) {
    test(`${name}, ${script}: the same attempts on every clock, within its own bounds`, async () => {
      const [virtual, ...others] = await Promise.all(CLOCKS.map((clock) => attemptsOf(scenario, name, clock)));
      assert.ok(virtual);
      for (const other of others) assert.deepEqual(other.attempts, virtual.attempts);
      assert.deepEqual(discrepancies(virtual.night), []);
      const settings = scenario.strategies[name];
      assert.ok(settings);
      holdsItsBounds(settings, virtual.attempts);
    });
  }
}

function holdsItsBounds({ policies }: StrategySettings, attempts: readonly Attempt[]): void {
  const operations = new Map<string, Attempt[]>();
  for (const each of attempts) {
    const key = `${each.pass}/${each.item}`;
    operations.set(key, [...(operations.get(key) ?? []), each]);
  }
  for (const policy of policies) {
    if (policy.policy === 'call_budget') assert.ok(attempts.length <= policy.calls);
    for (const [key, of] of operations) {
      const firstMs = of[0]?.sentMs ?? 0;
      if (policy.policy === 'attempt_cap') assert.ok(of.length <= policy.attempts, `${key}: ${of.length} attempts`);
      if (policy.policy === 'deadline') {
        for (const { sentMs, receivedMs } of of) {
          assert.ok(sentMs + policy.reserveMs <= firstMs + policy.budgetMs, `${key} started too late`);
          assert.ok(receivedMs <= firstMs + policy.budgetMs, `${key} ended after its deadline`);
        }
      }
    }
  }
  for (const of of operations.values())
    assert.deepEqual(
      of.map(({ attempt }) => attempt),
      of.map((_, i) => i + 1),
    );
}

const RETRY_AFTER = [undefined, '0', '1', '7', '3600', 'soon', '-3', '1.5', 'Fri, 16 Oct 2026 02:00:30 GMT'] as const;
const drawnReply = fc.record({
  status: fc.constantFrom(200, 404, 429, 429, 500, 502, 503),
  retryAfter: fc.constantFrom(...RETRY_AFTER),
  quota: fc.constantFrom(false, false, true),
  lost: fc.constantFrom(false, false, false, true),
});
const drawnLatency = fc.tuple(fc.nat(900), fc.nat(9000)).map(([low, more]) => [low, low + more] as const);
const drawnScript = fc.record({
  replies: fc.array(drawnReply, { maxLength: 9 }),
  after: fc.constantFrom('ok' as const, 'last' as const),
  latencyMs: drawnLatency,
});
/** Tighter bounds than any strategy of the catalogue has, so that a few items meet them. */
const drawnBounds = fc.record({
  attempt_cap: fc.option(
    fc.integer({ min: 1, max: 6 }).map((attempts) => ({ policy: 'attempt_cap' as const, attempts })),
  ),
  call_budget: fc.option(fc.nat(25).map((calls) => ({ policy: 'call_budget' as const, calls }))),
  deadline: fc.option(
    fc.record({
      policy: fc.constant('deadline' as const),
      budgetMs: fc.integer({ min: 1, max: 20_000 }),
      reserveMs: fc.nat(3000),
      attemptMs: fc.option(fc.integer({ min: 1, max: 6000 })),
    }),
  ),
});

/** The strategy with these in place of its own policies of the same name, or behind them. */
function bounded(
  settings: StrategySettings,
  bounds: Readonly<Record<string, PolicySettings | null>>,
): StrategySettings {
  const given = Object.values(bounds).filter((each) => each !== null);
  const kept = settings.policies.filter(({ policy }) => !given.some((each) => each.policy === policy));
  return { ...settings, policies: [...kept, ...given] };
}

const EMPTY = scripted([], 'ok');

for (const [name, { settings }] of Object.entries(CATALOGUE)) {
  test(`${name}, any script: no schedule exceeds its deadline, attempt cap or budget`, async () => {
    await fc.assert(
      fc.asyncProperty(drawnScript, drawnBounds, async ({ latencyMs, ...script }, bounds) => {
        const strategy = bounded(settings, bounds);
        const scenario: Scenario = {
          ...EMPTY,
          limits: { scenarioTimeMs: 1e9 },
          profile: { ...EMPTY.profile, latencyMs, gates: [{ gate: 'scripted', ...script }] },
          strategies: { [name]: strategy },
        };
        const { night, attempts } = await attemptsOf(scenario, name, 'virtual');
        assert.deepEqual(discrepancies(night), []);
        holdsItsBounds(strategy, attempts);
      }),
      { numRuns: 60 },
    );
  });
}

test('layers multiply (case A18): 2 attempts in 4 passes are 8 requests an item, and one layer alone is its own number', async () => {
  const scenario = SCRIPTS['always 503'];
  assert.ok(scenario);
  const perItem = async (strategy: string) => {
    const { night, attempts } = await attemptsOf(scenario, strategy, 'virtual');
    const { items, calls, calls_per_item, calls_per_done_item } = summarise(night);
    assert.deepEqual([items.total, calls.total], [scenario.task.items, attempts.length]);
    assert.equal(calls_per_done_item, null, 'nothing is ever done, and the factor is told all the same');
    return calls_per_item;
  };
  assert.equal(await perItem('naive'), 8);
  assert.equal(await perItem('anthropic-sdk'), 3);
  assert.equal(await perItem('codex'), 6);
});

test('patches change what they name and nothing else', () => {
  const tags = (name: string) => CATALOGUE[name]?.settings.policies.map(({ policy }) => policy);
  assert.deepEqual(tags('guarded-without-budget'), ['quota_stop', 'attempt_cap', 'exponential_backoff', 'retry_after']);
  assert.deepEqual(tags('guarded-without-retry-after')?.includes('retry_after'), false);
  assert.deepEqual(tags('naive-with-retry-after'), ['attempt_cap', 'immediate', 'retry_after']);
  assert.deepEqual(tags('naive-with-backoff'), ['attempt_cap', 'exponential_backoff']);
});

test('no wait that another policy asks for carries an operation past its deadline', async () => {
  const breaker = {
    policy: 'circuit_breaker',
    failure_rate: 0.2,
    window_ms: 5000,
    min_calls: 5,
    cooldown_ms: 60_000,
    probes: 1,
  };
  const gates = [
    { policy: 'rate_cap', per_s: 1 },
    { ...breaker, limits_are_failures: true, when_open: 'wait' },
    { policy: 'adaptive_rate' },
  ];
  for (const gate of gates) {
    const strategies = { tested: { extends: 'exponential', with: [gate, { policy: 'deadline', budget_ms: 3000 }] } };
    const scenario = smallStorm({ fitted: [], strategies, 'task.items': 60, 'platform.gates.4.rate': 0.6 });
    const { attempts } = await attemptsOf(scenario, 'tested', 'virtual');
    const lastMs = new Map<number, { first: number; last: number }>();
    for (const { item, sentMs, receivedMs } of attempts)
      lastMs.set(item, { first: lastMs.get(item)?.first ?? sentMs, last: receivedMs });
    for (const { first, last } of lastMs.values())
      assert.ok(last <= first + 3000, `${gate.policy}: ended after ${last - first} ms`);
    const ends: number[] = [];
    await runNight(
      { scenario, strategy: 'tested', seed: 11, clock: 'virtual' },
      {
        verdict: () => {},
        client: {
          attempt: () => {},
          refused: ({ firstSentMs }, nowMs, decision) => {
            if (firstSentMs === undefined) return;
            const untilMs = decision.kind === 'retry' ? nowMs + decision.waitMs + scenario.task.prepMs : nowMs;
            ends.push(untilMs - firstSentMs);
          },
        },
      },
    );
    for (const afterMs of ends) assert.ok(afterMs <= 3000, `${gate.policy}: waits and prepares until ${afterMs} ms`);
  }
});

test('a strategy that knows a quota asks no item twice when it is gone; one that does not is blind to it', async () => {
  const scenario = smallStorm({
    fitted: [],
    strategies: { deadline: {}, codex: {} },
    'task.items': 60,
    'platform.gates.2.calls': 20,
  });
  const afterQuota = async (strategy: string) => {
    const { attempts } = await attemptsOf(scenario, strategy, 'virtual');
    return attempts.filter(({ replyClass }) => replyClass === 'quota429');
  };
  const known = await afterQuota('deadline');
  assert.equal(new Set(known.map(({ item }) => item)).size, known.length);
  const blind = await afterQuota('codex');
  assert.ok(blind.length > 5 * new Set(blind.map(({ item }) => item)).size);
});
