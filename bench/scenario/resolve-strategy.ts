// A strategy of a scenario file made whole: the one of the catalogue that it extends, with its changes put in and
// checked where they stand in the file.

import { CATALOGUE } from '../../clients/strategies/catalogue.ts';
import type { StrategySettings } from '../../clients/strategies/settings.ts';
import { camel, snake } from './fields.ts';
import { type PolicyFile, policySchema } from './policy-schema.ts';
import type { SourceFile } from './source-file.ts';
import { requestSchema, type StrategyFile, schedulerSchema } from './strategy-schema.ts';

/** @throws InputError naming the line of the setting that does not fit */
export function resolveStrategy(file: SourceFile, name: string, written: StrategyFile): StrategySettings {
  if ('policies' in written)
    return {
      ...camel({ request: written.request, scheduler: written.scheduler, policies: written.policies }),
      ...chanceOf(written),
    };
  const at = ['strategies', name];
  const wanted = written.extends ?? name;
  const base = Object.hasOwn(CATALOGUE, wanted) ? CATALOGUE[wanted] : undefined;
  if (base === undefined) {
    const known = Object.keys(CATALOGUE).join(', ');
    if (written.extends !== undefined) throw file.mistake([...at, 'extends'], written.extends, `one of ${known}`);
    throw file.mistake(
      at,
      name,
      `one of ${known}; or a strategy that says what it extends; or one with scheduler and policies`,
      true,
    );
  }
  const scheduler = { ...snake(base.settings.scheduler), ...written.scheduler };
  const request = { ...snake(base.settings.request), ...written.request };
  const settings = camel({
    request: file.check(requestSchema, request, [...at, 'request']),
    scheduler: file.check(schedulerSchema, scheduler, [...at, 'scheduler']),
    policies: changedPolicies(file, at, written, base.settings.policies),
  });
  return { ...settings, ...chanceOf(written) };
}

/** A setting that is not there is no setting that is undefined. */
const chanceOf = ({ chance }: StrategyFile) => (chance === undefined ? {} : { chance });

function changedPolicies(
  file: SourceFile,
  at: readonly string[],
  { set = {}, without = [], with: added = [] }: Exclude<StrategyFile, { policies: unknown }>,
  base: StrategySettings['policies'],
): PolicyFile[] {
  const has = (name: string) => base.some(({ policy }) => policy === name);
  const names = base.map(({ policy }) => policy).join(', ');
  for (const name of Object.keys(set))
    if (!has(name)) throw file.mistake([...at, 'set', name], name, `one of ${names}`, true);
  without.forEach((name, i) => {
    if (!has(name)) throw file.mistake([...at, 'without', i], name, `one of ${names}`);
  });
  const kept = base
    .filter(({ policy }) => !without.includes(policy))
    .map((settings) => {
      const { policy } = settings;
      const whole = { ...snake(settings), ...set[policy], policy };
      const changed = file.check(policySchema, whole, [...at, 'set', policy]);
      return added.find((other) => other.policy === policy) ?? changed;
    });
  return [...kept, ...added.filter(({ policy }) => !kept.some((other) => other.policy === policy))];
}
