// The calls that a task takes in closed form, where there is one: when every call fails by chance alone, with one probability,
// and whatever fails is tried again up to so many times, an item's attempts are a geometric count cut off at the cap, and
// the task's calls are the sum of them over its items.

import type { PolicySettings } from '../../../clients/strategies/build-policies.ts';
import type { StrategySettings } from '../../../clients/strategies/settings.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { type CountDistribution, moments, quantile, sumOf } from '../../statistics/count-distribution.ts';
import { normalQuantile } from '../../statistics/distributions.ts';

export interface ClosedForm {
  readonly calls: CountDistribution;
  readonly mean: number;
  readonly sd: number;
  /** Probability that a call fails. */
  readonly failing: number;
  /** What must hold for this to be the task's distribution. */
  readonly assumes: readonly string[];
}

/** Why there is none. */
export interface NoClosedForm {
  readonly none: string;
}

/** Policies that change when a call is sent and never whether it is. */
const ONLY_WAIT: readonly PolicySettings['policy'][] = [
  'immediate',
  'fixed_backoff',
  'exponential_backoff',
  'jittered_backoff',
  'aws_backoff',
];

export function closedForm(scenario: Scenario, settings: StrategySettings): ClosedForm | NoClosedForm {
  const chances = chancesOf(scenario);
  if ('none' in chances) return chances;
  const attempts = attemptsOf(settings);
  if (typeof attempts !== 'number') return attempts;
  const failing = 1 - chances.reduce((passes, { rate }) => passes * (1 - rate), 1);
  if (failing >= 1) return { none: 'no call ever succeeds' };
  const calls = sumOf(attemptCounts(failing, attempts), scenario.task.items);
  const gates = chances.map(({ gate, rate }) => `${gate} ${percent(rate)}`).join(', ');
  return {
    calls,
    ...moments(calls),
    failing,
    assumes: [
      `every call fails by chance alone, each with ${percent(failing)} (${gates || 'nothing fails'})`,
      Number.isFinite(attempts)
        ? `every failure is tried again, up to ${attempts} attempts an item`
        : 'every failure is tried again until it succeeds',
      'a night is finished when every item is done, or abandoned with its attempts used up',
      'no call is refused for its rate, by the quota, or by an outage',
    ],
  };
}

const percent = (share: number): string => `${Math.round(share * 1000) / 10} %`;

/** The exact line, and the one of the normal distribution with the same mean and spread. */
export function closedLine({ calls, mean, sd }: ClosedForm, target: number) {
  return { exact: quantile(calls, target), normal: Math.round(mean + normalQuantile(target) * sd) };
}

function chancesOf({ profile, task }: Scenario): { gate: string; rate: number }[] | NoClosedForm {
  if (task.calendar !== undefined) return { none: "the client's calendar is not the platform's" };
  const chances: { gate: string; rate: number }[] = [];
  for (const gate of profile.gates) {
    switch (gate.gate) {
      case 'soft_limit':
      case 'fault':
        chances.push({ gate: gate.gate, rate: gate.rate });
        break;
      case 'edge_token_bucket':
      case 'monthly_quota':
      case 'billing':
        break;
      case 'burst_fault':
        return { none: 'faults come in bursts' };
      default:
        return { none: `the platform has the gate ${gate.gate}` };
    }
  }
  return chances;
}

/** Attempts an item at most; Infinity when nothing limits them. */
function attemptsOf({ scheduler, policies, request }: StrategySettings): number | NoClosedForm {
  if (scheduler.kind !== 'checkpointed_items') return { none: 'the strategy works in batches' };
  if (request.cacheEntries > 0) return { none: 'the strategy keeps a cache' };
  let attempts = Number.POSITIVE_INFINITY;
  for (const policy of policies) {
    if (policy.policy === 'attempt_cap') attempts = Math.min(attempts, policy.attempts);
    else if (!neverStops(policy))
      return { none: `its policy ${policy.policy} may end an item, or the task, for a reason of its own` };
  }
  if (!policies.some(({ policy }) => ONLY_WAIT.includes(policy))) return { none: 'the strategy does not try again' };
  return attempts;
}

function neverStops(policy: PolicySettings): boolean {
  switch (policy.policy) {
    case 'call_budget':
    case 'quota_stop':
    case 'rate_cap':
    case 'adaptive_rate':
      return true;
    case 'circuit_breaker':
    case 'consecutive_breaker':
      return policy.whenOpen === 'wait';
    case 'retry_after':
      return policy.tooLong !== 'never_shorten';
    default:
      return ONLY_WAIT.includes(policy.policy);
  }
}

/** Longer runs of failures than this have no probability that a number can hold beside 1. */
const NEGLIGIBLE = 1e-20;

/** Attempts of one item: geometric, and whatever would pass the cap ends at it. */
function attemptCounts(failing: number, attempts: number): CountDistribution {
  const p: number[] = [];
  let left = 1;
  while (p.length + 1 < attempts && left > NEGLIGIBLE) {
    p.push(left * (1 - failing));
    left *= failing;
  }
  p.push(left);
  return { first: 1, p: Float64Array.from(p) };
}
