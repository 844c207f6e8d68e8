// Holds that retries never take more places than Envoy's budget gives, and that every place is freed, whatever way an
// operation goes.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { Operation, Policy, ReplyClass, Retry } from '../policy.ts';
import { PolicyChain } from '../policy-chain.ts';
import { operationOf, resultOf } from '../testing.ts';
import { EnvoyBudget } from './envoy-budget.ts';

const DEFAULTS = { budgetPercent: 20, minRetryConcurrency: 3 } as const;
const PROPOSAL: Retry = { kind: 'retry', waitMs: 100, because: 'backoff' };
const EXHAUSTED = { kind: 'stop', reason: 'retry_budget_exhausted', scope: 'operation' };

/** Admits so many new operations. */
function begin(budget: EnvoyBudget, count: number): Operation[] {
  return Array.from({ length: count }, (_, item) => {
    const operation = operationOf(item, 0);
    assert.equal(budget.admit(operation), undefined);
    operation.attempts++;
    return operation;
  });
}

/** The attempt under way fails; what is said to a retry. */
function fail(budget: EnvoyBudget, operation: Operation) {
  budget.settle(resultOf('error500', { operation }));
  const decision = budget.decide(resultOf('error500', { operation }), PROPOSAL);
  if (decision?.kind === 'stop') budget.ended(operation);
  return decision;
}

test('a fifth of the active operations may be retries, but never fewer than three', () => {
  for (const [active, retries] of [
    [1, 1],
    [3, 3],
    [5, 3],
    [19, 3],
    [24, 4],
    [100, 20],
  ] as const) {
    const budget = new EnvoyBudget(DEFAULTS);
    const decisions = begin(budget, active).map((operation) => fail(budget, operation));
    // Whoever is refused ends and is active no more: the share shrinks, but what was given stays.
    assert.equal(decisions.filter((decision) => decision === PROPOSAL).length, retries, `${active} active`);
    assert.equal(budget.retries, retries);
    for (const decision of decisions) assert.deepEqual(decision, decision === PROPOSAL ? PROPOSAL : EXHAUSTED);
  }
});

test('a minimum of none and a share of nothing let no retry go', () => {
  const budget = new EnvoyBudget({ budgetPercent: 0, minRetryConcurrency: 0 });
  for (const operation of begin(budget, 10)) assert.deepEqual(fail(budget, operation), EXHAUSTED);
});

/** Ways that a retry can go, and whether its place and its operation are free afterwards. */
const EXITS: readonly (readonly [string, (budget: EnvoyBudget, operation: Operation) => void, number, number])[] = [
  ['still waiting', () => undefined, 1, 1],
  ['under way', (budget, operation) => budget.admit(operation), 1, 1],
  [
    'turned back by a later policy, to wait',
    (budget, operation) => {
      budget.admit(operation);
      budget.withdraw(operation);
    },
    1,
    1,
  ],
  [
    'turned back by a later policy, for good',
    (budget, operation) => {
      budget.admit(operation);
      budget.withdraw(operation);
      budget.ended(operation);
    },
    0,
    0,
  ],
  ['stopped by an earlier policy or from outside while it waits', (budget, operation) => budget.ended(operation), 0, 0],
  [
    'succeeded',
    (budget, operation) => {
      budget.settle(resultOf('ok', { operation }));
      budget.ended(operation);
    },
    0,
    0,
  ],
  ['failed, nothing decided yet', (budget, operation) => budget.settle(resultOf('no_reply', { operation })), 0, 1],
  ['failed, and goes again', (budget, operation) => assert.equal(fail(budget, operation), PROPOSAL), 1, 1],
];

for (const [name, exit, retries, active] of EXITS) {
  test(`a retry's place: ${name}`, () => {
    const budget = new EnvoyBudget(DEFAULTS);
    const [operation = operationOf()] = begin(budget, 1);
    assert.equal(fail(budget, operation), PROPOSAL);
    exit(budget, operation);
    assert.deepEqual([budget.retries, budget.active], [retries, active]);
    assert.deepEqual(budget.budgetLeft(), { envoy_budget: 3 - retries });
  });
}

test('a first attempt that is turned back is not active; one that was never proposed again takes no place', () => {
  const budget = new EnvoyBudget(DEFAULTS);
  const operation = operationOf(1, 0);
  budget.admit(operation);
  budget.withdraw(operation);
  assert.equal(budget.active, 0);
  assert.equal(budget.decide(resultOf('other', { operation }), undefined), undefined);
  assert.equal(budget.retries, 0);
});

/** Refuses, stops or decides as it is told to, before or after the budget. */
class Moody implements Policy {
  readonly name = 'moody';
  mood: 'calm' | 'wait' | 'stop' = 'calm';
  admit() {
    return this.mood === 'calm' ? undefined : this.mood === 'wait' ? PROPOSAL : this.#stop();
  }
  decide(_result: unknown, proposal: Retry | undefined) {
    return this.mood === 'stop' ? this.#stop() : proposal;
  }
  #stop() {
    return { kind: 'stop', reason: 'circuit_open', scope: 'operation' } as const;
  }
}

test('any load among policies that refuse and stop: a place is given within the limit only, and all come back', () => {
  const event = fc.record({
    which: fc.nat(),
    kind: fc.constantFrom('new', 'new', 'advance', 'advance', 'advance'),
    replyClass: fc.constantFrom<ReplyClass>('ok', 'error500', 'error500', 'no_reply'),
    before: fc.constantFrom('calm', 'calm', 'calm', 'wait', 'stop'),
    after: fc.constantFrom('calm', 'calm', 'calm', 'wait', 'stop'),
  });
  const settings = fc.record({ budgetPercent: fc.nat({ max: 100 }), minRetryConcurrency: fc.nat({ max: 4 }) });
  let most = 0;
  fc.assert(
    fc.property(settings, fc.array(event, { maxLength: 200, size: 'max' }), (chosen, events) => {
      const budget = new EnvoyBudget(chosen);
      const [before, after] = [new Moody(), new Moody()];
      const proposing: Policy = { name: 'proposing', decide: () => PROPOSAL };
      const chain = new PolicyChain([before, proposing, budget, after]);
      const open = new Map<Operation, 'asking' | 'sent'>();
      for (const each of events) {
        if (each.kind === 'new') open.set(operationOf(1, 0), 'asking');
        const [operation, state] = [...open][each.which % Math.max(open.size, 1)] ?? [];
        if (operation === undefined) continue;
        [before.mood, after.mood] = [each.before as Moody['mood'], each.after as Moody['mood']];
        const given = budget.retries;
        const result = resultOf(each.replyClass, { operation });
        if (state === 'sent') chain.settle(result);
        const decision =
          state === 'asking' ? chain.admit(operation, 0) : each.replyClass === 'ok' ? 'done' : chain.decide(result);
        if (budget.retries > given) assert.ok(budget.retries <= Math.max(budget.limit, chosen.minRetryConcurrency));
        most = Math.max(most, budget.retries);
        if (decision === undefined) {
          operation.attempts++;
          open.set(operation, 'sent');
        } else if (decision === 'done' || decision.kind === 'stop') {
          chain.ended(operation);
          open.delete(operation);
        } else open.set(operation, 'asking');
        const retrying = [...open.keys()].filter(({ attempts }) => attempts > 0).length;
        assert.ok(budget.retries <= retrying && budget.active <= open.size, 'nothing is held for who has ended');
      }
      for (const operation of open.keys()) chain.ended(operation);
      assert.deepEqual([budget.active, budget.retries], [0, 0]);
    }),
    { numRuns: 300 },
  );
  assert.ok(most > 5, 'the share is used, not only the minimum');
});
