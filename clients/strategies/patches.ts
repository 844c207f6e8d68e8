// What each of the four patches of seed 001 is worth: the guarded client without one of them, the naive client with one.
// The patches: obey Retry-After; back off with jitter; a checkpoint an item; a budget of calls, with a circuit breaker.

import type { PolicySettings } from './build-policies.ts';
import { guarded } from './guarded.ts';
import { naive } from './naive.ts';
import type { SchedulerSettings, Strategy, StrategySettings } from './settings.ts';

const SOURCE = 'seed 001, one patch at a time';
const of = (kind: PolicySettings['policy']): PolicySettings => {
  const found = guarded.settings.policies.find(({ policy }) => policy === kind);
  if (found === undefined) throw new Error(`guarded has no policy ${kind}`);
  return found;
};

function without(what: string, ...kinds: readonly PolicySettings['policy'][]): Strategy {
  const policies = guarded.settings.policies.filter(({ policy }) => !kinds.includes(policy));
  return { summary: `guarded, ${what}`, source: SOURCE, settings: { ...guarded.settings, policies } };
}

function naiveWith(what: string, policies: readonly PolicySettings[], scheduler?: SchedulerSettings): Strategy {
  const settings: StrategySettings = { ...naive.settings, scheduler: scheduler ?? naive.settings.scheduler, policies };
  return { summary: `naive, ${what}`, source: SOURCE, settings };
}

/** The naive scheduler, by which a client without a checkpoint works. */
const REPLAY = {
  ...naive.settings.scheduler,
  concurrency: guarded.settings.scheduler.concurrency,
} as SchedulerSettings;
const { policies: naivePolicies } = naive.settings;

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
  'naive-with-retry-after': naiveWith('but it obeys Retry-After up to 10 s', [...naivePolicies, of('retry_after')]),
  'naive-with-backoff': naiveWith('but it backs off with jitter instead of trying again at once', [
    ...naivePolicies.filter(({ policy }) => policy !== 'immediate'),
    of('exponential_backoff'),
  ]),
  'naive-with-checkpoint': naiveWith('but a pass leaves out the items that are done', naivePolicies, {
    ...naive.settings.scheduler,
    skipDone: true,
  } as SchedulerSettings),
  'naive-with-budget': naiveWith('but with the budget of 15,000 calls and the breaker', [
    of('circuit_breaker'),
    of('call_budget'),
    ...naivePolicies,
  ]),
};
