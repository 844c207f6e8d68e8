// What each of the four patches of seed 001 is worth: the guarded client without one of them, the naive client with one.
// The patches: obey Retry-After; back off with jitter; a checkpoint an item; a budget of calls, with a circuit breaker.

import type { PolicySettings } from './build-policies.ts';
import { guarded } from './guarded.ts';
import { naive } from './naive.ts';
import type { SchedulerSettings, Strategy, StrategySettings } from './settings.ts';

const SOURCE = 'seed 001, one patch at a time';

export const PATCHES = ['retry-after', 'backoff', 'checkpoint', 'budget'] as const;
export type Patch = (typeof PATCHES)[number];

/** The policy of that kind among the settings. */
function policyOf({ policies }: StrategySettings, kind: PolicySettings['policy']): PolicySettings {
  const found = policies.find(({ policy }) => policy === kind);
  if (found === undefined) throw new RangeError(`no policy ${kind} among ${policies.map(({ policy }) => policy)}`);
  return found;
}

/**
 * A client that works through batches, with some of the four patches, and nothing else changed.
 * @param source where the settings of the patches come from
 * @throws RangeError when `base` works without batches, or `source` lacks a policy
 */
export function patched(
  base: StrategySettings,
  patches: readonly Patch[],
  source = guarded.settings,
): StrategySettings {
  const { scheduler } = base;
  if (scheduler.kind !== 'replay_batches') throw new RangeError(`a scheduler ${scheduler.kind} has its checkpoint`);
  const has = (patch: Patch) => patches.includes(patch);
  const kept = base.policies.filter(({ policy }) => !(has('backoff') && policy === 'immediate'));
  return {
    ...base,
    scheduler: has('checkpoint') ? { ...scheduler, skipDone: true } : scheduler,
    policies: [
      ...(has('budget') ? [policyOf(source, 'circuit_breaker'), policyOf(source, 'call_budget')] : []),
      ...kept,
      ...(has('backoff') ? [policyOf(source, 'exponential_backoff')] : []),
      ...(has('retry-after') ? [policyOf(source, 'retry_after')] : []),
    ],
  };
}

function without(what: string, ...kinds: readonly PolicySettings['policy'][]): Strategy {
  const policies = guarded.settings.policies.filter(({ policy }) => !kinds.includes(policy));
  return { summary: `guarded, ${what}`, source: SOURCE, settings: { ...guarded.settings, policies } };
}

function naiveWith(patch: Patch, what: string): Strategy {
  return { summary: `naive, but ${what}`, source: SOURCE, settings: patched(naive.settings, [patch]) };
}

/** The naive scheduler, by which a client without a checkpoint works. */
const REPLAY = {
  ...naive.settings.scheduler,
  concurrency: guarded.settings.scheduler.concurrency,
} as SchedulerSettings;

export const patches: Readonly<Record<string, Strategy>> = {
  'guarded-without-retry-after': without('but a rate rejection is backed off from like any failure', 'retry_after'),
  'guarded-without-backoff': {
    ...without('but a failure is tried again at once', 'exponential_backoff'),
    settings: {
      ...guarded.settings,
      policies: guarded.settings.policies.map((each) =>
        each.policy === 'exponential_backoff' ? { policy: 'immediate' } : each,
      ),
    },
  },
  'guarded-without-checkpoint': {
    summary: 'guarded, but each pass requests the whole batch again, four passes at most',
    source: SOURCE,
    settings: { ...guarded.settings, scheduler: REPLAY },
  },
  'guarded-without-budget': without('but without the call budget and its breaker', 'call_budget', 'circuit_breaker'),
  'naive-with-retry-after': naiveWith('retry-after', 'it obeys Retry-After up to 10 s'),
  'naive-with-backoff': naiveWith('backoff', 'it backs off with jitter instead of trying again at once'),
  'naive-with-checkpoint': naiveWith('checkpoint', 'a pass leaves out the items that are done'),
  'naive-with-budget': naiveWith('budget', 'with the budget of 15,000 calls and the breaker'),
};
