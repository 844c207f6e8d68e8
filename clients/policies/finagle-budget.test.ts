// Holds Finagle's budget against a plain list of what happened, and its promise: no ttl holds more retries than the reserve
// and the share of its deposits.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { Retry } from '../policy.ts';
import { operationOf, resultOf } from '../testing.ts';
import { FinagleBudget, type FinagleBudgetSettings } from './finagle-budget.ts';

const DEFAULTS: FinagleBudgetSettings = { percentCanRetry: 0.2, minRetriesPerS: 10, ttlMs: 10_000 };
const NO_RESERVE = { ...DEFAULTS, minRetriesPerS: 0 };
const PROPOSAL: Retry = { kind: 'retry', waitMs: 100, because: 'backoff' };
const EXHAUSTED = { kind: 'stop', reason: 'retry_budget_exhausted', scope: 'operation' };

function deposit(budget: FinagleBudget, times: number, nowMs: number): void {
  for (let time = 0; time < times; time++) assert.equal(budget.admit(operationOf(1, 0), nowMs), undefined);
}

/** Whether a retry may go. */
function retry(budget: FinagleBudget, receivedMs: number): boolean {
  const decision = budget.decide(resultOf('error500', { receivedMs }), PROPOSAL);
  if (decision !== PROPOSAL) assert.deepEqual(decision, EXHAUSTED);
  return decision === PROPOSAL;
}

/** Retries that go, one after another, until one does not. */
function drain(budget: FinagleBudget, nowMs: number): number {
  let retries = 0;
  while (retry(budget, nowMs)) retries++;
  return retries;
}

test('an idle client has its reserve of 10 a second, for 10 s, and has it again when those retries are gone', () => {
  const budget = new FinagleBudget(DEFAULTS);
  assert.equal(drain(budget, 0), 100);
  assert.equal(drain(budget, 9999), 0);
  assert.equal(drain(budget, 10_999), 0, 'a withdrawal stays for one slice more');
  assert.equal(drain(budget, 11_000), 100);
});

test('each operation deposits a fifth of a retry, once, whatever it retries', () => {
  for (const [deposits, retries] of [
    [0, 0],
    [4, 0],
    [5, 1],
    [99, 19],
    [100, 20],
  ] as const) {
    const budget = new FinagleBudget(NO_RESERVE);
    deposit(budget, deposits, 0);
    budget.admit(operationOf(1, 1), 0);
    assert.equal(drain(budget, 0), retries, `${deposits} deposits`);
  }
});

test('shares add up exactly, also above 1; a share of nothing leaves the reserve', () => {
  for (const [percentCanRetry, deposits, retries] of [
    [0.1, 1000, 100],
    [0.01, 100, 1],
    [2, 50, 100],
    [0, 1000, 0],
  ] as const) {
    const budget = new FinagleBudget({ ...NO_RESERVE, percentCanRetry });
    deposit(budget, deposits, 0);
    assert.equal(drain(budget, 0), retries, `${percentCanRetry}`);
  }
  const reserveOnly = new FinagleBudget({ ...DEFAULTS, percentCanRetry: 0 });
  deposit(reserveOnly, 1000, 0);
  assert.equal(drain(reserveOnly, 0), 100);
});

test('a deposit leaves with its slice, however long nothing happened', () => {
  for (const [atMs, untilMs] of [
    [0, 10_000],
    [999, 10_000],
    [1000, 11_000],
    [12_345, 22_000],
  ] as const) {
    const budget = new FinagleBudget(NO_RESERVE);
    deposit(budget, 10, atMs);
    assert.equal(budget.balance(untilMs - 1), 2);
    assert.equal(budget.balance(untilMs), 0);
    assert.equal(budget.balance(untilMs + 3_600_000), 0);
  }
});

test('an attempt that is not sent deposits nothing', () => {
  const budget = new FinagleBudget(NO_RESERVE);
  deposit(budget, 10, 0);
  for (let time = 0; time < 5; time++) budget.withdraw(operationOf(1, 0));
  budget.withdraw(operationOf(1, 1));
  assert.deepEqual(budget.budgetLeft(operationOf(), 0), { finagle_budget: 1 });
});

test('without a retry to pay for it takes nothing and has no opinion', () => {
  const budget = new FinagleBudget(DEFAULTS);
  assert.equal(budget.decide(resultOf('error500'), undefined), undefined);
  assert.equal(budget.balance(0), 100);
});

/** The budget as one would write it without thought of cost: the times of everything. */
class NaiveBudget {
  readonly deposits: number[] = [];
  readonly retries: number[] = [];
  readonly #settings: FinagleBudgetSettings;

  constructor(settings: FinagleBudgetSettings) {
    this.#settings = settings;
  }

  get reserve(): number {
    return Math.floor((this.#settings.minRetriesPerS * this.#settings.ttlMs) / 1000);
  }

  balance(nowMs: number): number {
    const sliceMs = this.#settings.ttlMs / 10;
    const age = (atMs: number) => Math.floor(nowMs / sliceMs) - Math.floor(atMs / sliceMs);
    const deposits = this.deposits.filter((atMs) => age(atMs) < 10).length;
    const retries = this.retries.filter((atMs) => age(atMs) <= 10).length;
    return Math.max(0, Math.floor(this.reserve + deposits * this.#settings.percentCanRetry + 1e-9) - retries);
  }

  /** Retries of the ttl that ends now, less what its deposits and the reserve pay for. */
  excess(nowMs: number): number {
    const recent = (times: readonly number[]) => times.filter((atMs) => atMs > nowMs - this.#settings.ttlMs).length;
    return recent(this.retries) - this.reserve - this.#settings.percentCanRetry * recent(this.deposits);
  }
}

test('any load: it equals the plain list, and no ttl up to a retry holds more than reserve and share', () => {
  const settings = fc.record({
    percentCanRetry: fc.constantFrom(0, 0.1, 0.2, 0.5, 1, 2),
    minRetriesPerS: fc.nat({ max: 5 }),
    ttlMs: fc.constantFrom(1000, 2000, 10_000),
  });
  const step = fc.record({
    passMs: fc.oneof(fc.constant(0), fc.nat({ max: 400 }), fc.nat({ max: 12_000 })),
    deposits: fc.nat({ max: 12 }),
    tries: fc.nat({ max: 12 }),
  });
  let refusals = 0;
  fc.assert(
    fc.property(settings, fc.array(step, { maxLength: 60, size: 'max' }), (chosen, steps) => {
      const budget = new FinagleBudget(chosen);
      const naive = new NaiveBudget(chosen);
      let nowMs = 0;
      for (const { passMs, deposits, tries } of steps) {
        nowMs += passMs;
        deposit(budget, deposits, nowMs);
        for (let time = 0; time < deposits; time++) naive.deposits.push(nowMs);
        for (let time = 0; time < tries; time++) {
          assert.equal(budget.balance(nowMs), naive.balance(nowMs));
          if (!retry(budget, nowMs)) {
            refusals++;
            break;
          }
          naive.retries.push(nowMs);
          assert.ok(naive.excess(nowMs) <= 1e-9, `${naive.excess(nowMs)} too many at ${nowMs} ms`);
        }
      }
    }),
    { numRuns: 300 },
  );
  assert.ok(refusals > 100, 'budgets are spent');
});
