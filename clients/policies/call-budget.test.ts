// Holds that the budget is exact: for any interleaving of admissions and withdrawals, no call too many and none too few.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { operationOf } from '../testing.ts';
import { callBudget } from './call-budget.ts';

const SPENT = { kind: 'stop', reason: 'budget_exceeded', scope: 'task' };

test('a budget of nothing admits nothing', () => {
  assert.deepEqual(callBudget(0).admit?.(operationOf(), 0), SPENT);
});

test('9,000 calls are 9,000 admissions, and then the task stops for good', () => {
  const budget = callBudget(9000);
  for (let call = 1; call <= 9000; call++) assert.equal(budget.admit?.(operationOf(call), call), undefined);
  for (let call = 0; call < 10; call++) assert.deepEqual(budget.admit?.(operationOf(), 0), SPENT);
});

test('a withdrawn call can be spent again, once', () => {
  const budget = callBudget(1);
  assert.equal(budget.admit?.(operationOf(1), 0), undefined);
  budget.withdraw?.(operationOf(1));
  assert.equal(budget.admit?.(operationOf(2), 0), undefined);
  assert.deepEqual(budget.admit?.(operationOf(3), 0), SPENT);
});

test('two budgets do not share their calls', () => {
  const [one, other] = [callBudget(1), callBudget(1)];
  assert.equal(one.admit?.(operationOf(), 0), undefined);
  assert.equal(other.admit?.(operationOf(), 0), undefined);
});

test('admissions less withdrawals never pass the budget, and a call is refused only when it is spent', () => {
  const steps = fc.array(fc.constantFrom('admit', 'admit', 'withdraw'), { maxLength: 200, size: 'max' });
  fc.assert(
    fc.property(fc.nat({ max: 40 }), steps, (calls, interleaving) => {
      const budget = callBudget(calls);
      let reserved = 0;
      for (const step of interleaving) {
        if (step === 'admit') {
          const refusal = budget.admit?.(operationOf(), 0);
          assert.equal(refusal === undefined, reserved < calls);
          if (refusal === undefined) reserved++;
        } else if (reserved > 0) {
          budget.withdraw?.(operationOf());
          reserved--;
        }
      }
    }),
    { numRuns: 300 },
  );
});
