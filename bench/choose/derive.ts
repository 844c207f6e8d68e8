// Scenarios made from scenarios: other strategies on the same platform. Their hash is their own, so that no result is taken
// for another's.

import { CATALOGUE } from '../../clients/strategies/catalogue.ts';
import type { StrategySettings } from '../../clients/strategies/settings.ts';
import { inputMistake } from '../input-error.ts';
import { type Scenario, seal } from '../scenario/scenario.ts';

/**
 * Settings of a strategy: the scenario's own of that name, or the catalogue's.
 * @throws InputError when there is none
 */
export function strategyOf({ name: scenario, strategies }: Scenario, name: string, option = '--strategy') {
  const own = Object.hasOwn(strategies, name) ? strategies[name] : undefined;
  const settings = own ?? (Object.hasOwn(CATALOGUE, name) ? CATALOGUE[name]?.settings : undefined);
  if (settings !== undefined) return settings;
  const known = [...new Set([...Object.keys(strategies), ...Object.keys(CATALOGUE)])].join(', ');
  throw inputMistake('command line', option, name, `one of ${known} (scenario ${scenario}, or the catalogue)`);
}

export function withStrategies(scenario: Scenario, strategies: Readonly<Record<string, StrategySettings>>): Scenario {
  return seal({ ...scenario, strategies });
}
