// A strategy with another call budget. A budget only cuts: draws are keyed by item, so up to the cut a night is the night
// without a budget, and the budget that a night needs is the number of calls that it takes when none is set.

import type { StrategySettings } from '../../../clients/strategies/settings.ts';

/** More than any night takes; the largest that a scenario file may say. */
const UNLIMITED = 1_000_000_000;

/** Sets the budget; a strategy that has none gets it behind its other policies. */
export function withBudget(settings: StrategySettings, calls: number): StrategySettings {
  const budget = { policy: 'call_budget', calls } as const;
  if (budgetOf(settings) === undefined) return { ...settings, policies: [...settings.policies, budget] };
  return { ...settings, policies: settings.policies.map((each) => (each.policy === 'call_budget' ? budget : each)) };
}

/** The strategy, and nothing cuts it for the number of its calls. */
export function unlimited(settings: StrategySettings): StrategySettings {
  return budgetOf(settings) === undefined ? settings : withBudget(settings, UNLIMITED);
}

export function budgetOf({ policies }: StrategySettings): number | undefined {
  for (const each of policies) if (each.policy === 'call_budget') return each.calls;
  return undefined;
}

const BREAKERS: readonly string[] = ['circuit_breaker', 'consecutive_breaker'];

export function withoutBreaker(settings: StrategySettings): StrategySettings {
  return { ...settings, policies: settings.policies.filter(({ policy }) => !BREAKERS.includes(policy)) };
}

export const hasBreaker = ({ policies }: StrategySettings): boolean =>
  policies.some(({ policy }) => BREAKERS.includes(policy));
