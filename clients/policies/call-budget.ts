// A budget of calls for the whole task. A call is reserved before it is sent, so no interleaving can overspend it.

import type { Policy } from '../policy.ts';

/** @param spent calls that earlier lives of the task have reserved */
export function callBudget(calls: number, spent = 0): Policy {
  let reserved = spent;
  return {
    name: 'call_budget',
    admit() {
      if (reserved >= calls) return { kind: 'stop', reason: 'budget_exceeded', scope: 'task' };
      reserved++;
      return undefined;
    },
    withdraw() {
      reserved--;
    },
    budgetLeft: () => ({ calls: calls - reserved }),
  };
}
