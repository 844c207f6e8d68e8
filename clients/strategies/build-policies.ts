// From the settings of policies to policies at work, with fresh state and, where one needs chance, a stream of draws of
// its own.

import { stream } from '../../platform-sim/draws.ts';
import { attemptCap } from '../policies/attempt-cap.ts';
import { callBudget } from '../policies/call-budget.ts';
import { CircuitBreaker, type CircuitBreakerSettings } from '../policies/circuit-breaker.ts';
import { type ExponentialBackoffSettings, exponentialBackoff } from '../policies/exponential-backoff.ts';
import { immediate } from '../policies/immediate.ts';
import { quotaStop } from '../policies/quota-stop.ts';
import { type RetryAfterSettings, retryAfter } from '../policies/retry-after.ts';
import type { Policy } from '../policy.ts';

/** One policy as data; `policy` tells which. */
export type PolicySettings =
  | { readonly policy: 'attempt_cap'; readonly attempts: number }
  | { readonly policy: 'immediate' }
  | { readonly policy: 'quota_stop' }
  | { readonly policy: 'call_budget'; readonly calls: number }
  | ({ readonly policy: 'retry_after' } & RetryAfterSettings)
  | ({ readonly policy: 'exponential_backoff' } & ExponentialBackoffSettings)
  | ({ readonly policy: 'circuit_breaker' } & CircuitBreakerSettings);

/** @param seed the night's; draws of the client are keyed by it, as the platform's are */
export function buildPolicies(settings: readonly PolicySettings[], seed: number): Policy[] {
  return settings.map((each) => build(each, seed));
}

function build(settings: PolicySettings, seed: number): Policy {
  switch (settings.policy) {
    case 'attempt_cap':
      return attemptCap(settings.attempts);
    case 'immediate':
      return immediate();
    case 'quota_stop':
      return quotaStop();
    case 'call_budget':
      return callBudget(settings.calls);
    case 'retry_after':
      return retryAfter(settings);
    case 'exponential_backoff':
      return exponentialBackoff(settings, stream(seed, 'client:backoff-jitter'));
    case 'circuit_breaker':
      return new CircuitBreaker(settings);
  }
}
