// From the settings of policies to policies at work, with fresh state and, where one needs chance, a stream of draws of
// its own.

import { type Stream, stream } from '../../platform-sim/draws.ts';
import { AdaptiveRate } from '../policies/adaptive-rate.ts';
import { attemptCap } from '../policies/attempt-cap.ts';
import { type AwsBackoffSettings, awsBackoff } from '../policies/aws-backoff.ts';
import { AwsRetryQuota, type AwsRetryQuotaSettings } from '../policies/aws-retry-quota.ts';
import { callBudget } from '../policies/call-budget.ts';
import { CircuitBreaker, type CircuitBreakerSettings } from '../policies/circuit-breaker.ts';
import { type ClassificationSettings, classification } from '../policies/classification.ts';
import { ConsecutiveBreaker, type ConsecutiveBreakerSettings } from '../policies/consecutive-breaker.ts';
import { type DeadlineSettings, deadline } from '../policies/deadline.ts';
import { EnvoyBudget, type EnvoyBudgetSettings } from '../policies/envoy-budget.ts';
import { type ExponentialBackoffSettings, exponentialBackoff } from '../policies/exponential-backoff.ts';
import { FinagleBudget, type FinagleBudgetSettings } from '../policies/finagle-budget.ts';
import { type FixedBackoffSettings, fixedBackoff } from '../policies/fixed-backoff.ts';
import { GrpcThrottle, type GrpcThrottleSettings } from '../policies/grpc-throttle.ts';
import { immediate } from '../policies/immediate.ts';
import { type JitteredBackoffSettings, jitteredBackoff } from '../policies/jittered-backoff.ts';
import { type PerHost, perHost } from '../policies/per-host.ts';
import { quotaStop } from '../policies/quota-stop.ts';
import { type RateCapSettings, rateCap } from '../policies/rate-cap.ts';
import { type RetryAfterSettings, retryAfter } from '../policies/retry-after.ts';
import type { Policy } from '../policy.ts';

/** One policy as data; `policy` tells which. */
export type PolicySettings =
  | { readonly policy: 'attempt_cap'; readonly attempts: number }
  | { readonly policy: 'immediate' }
  | { readonly policy: 'quota_stop' }
  | { readonly policy: 'call_budget'; readonly calls: number }
  | ({ readonly policy: 'rate_cap' } & RateCapSettings)
  | ({ readonly policy: 'adaptive_rate' } & PerHost)
  | ({ readonly policy: 'classification' } & ClassificationSettings)
  | ({ readonly policy: 'retry_after' } & RetryAfterSettings)
  | ({ readonly policy: 'deadline' } & DeadlineSettings)
  | ({ readonly policy: 'fixed_backoff' } & FixedBackoffSettings)
  | ({ readonly policy: 'exponential_backoff' } & ExponentialBackoffSettings)
  | ({ readonly policy: 'jittered_backoff' } & JitteredBackoffSettings)
  | ({ readonly policy: 'aws_backoff' } & AwsBackoffSettings)
  | ({ readonly policy: 'aws_retry_quota' } & AwsRetryQuotaSettings & PerHost)
  | ({ readonly policy: 'grpc_throttle' } & GrpcThrottleSettings & PerHost)
  | ({ readonly policy: 'finagle_budget' } & FinagleBudgetSettings & PerHost)
  | ({ readonly policy: 'envoy_budget' } & EnvoyBudgetSettings & PerHost)
  | ({ readonly policy: 'circuit_breaker' } & CircuitBreakerSettings & PerHost)
  | ({ readonly policy: 'consecutive_breaker' } & ConsecutiveBreakerSettings & PerHost);

export interface PolicyOrigin {
  /** Calls of a call budget that earlier lives of the task have reserved. */
  readonly spentCalls?: number | undefined;
  /** Whose draws the client's chance is of: clients of one name, or of none, draw the same. */
  readonly chance?: string | undefined;
}

/** What a policy is built from besides its settings. */
interface Ground {
  readonly stream: (name: string) => Stream;
  readonly spentCalls: number;
}

/** @param seed the night's; draws of the client are keyed by it, as the platform's are */
export function buildPolicies(
  settings: readonly PolicySettings[],
  seed: number,
  { spentCalls = 0, chance }: PolicyOrigin = {},
): Policy[] {
  const ground: Ground = {
    stream: (name) => stream(seed, chance === undefined ? name : `${name}:${chance}`),
    spentCalls,
  };
  return settings.map((each) =>
    'perHost' in each && each.perHost === true ? perHost(() => build(each, ground)) : build(each, ground),
  );
}

/** One stream for every kind of backoff: two strategies that differ in its form still draw the same numbers. */
const BACKOFF = 'client:backoff-jitter';

function build(settings: PolicySettings, ground: Ground): Policy {
  switch (settings.policy) {
    case 'attempt_cap':
      return attemptCap(settings.attempts);
    case 'immediate':
      return immediate();
    case 'quota_stop':
      return quotaStop();
    case 'call_budget':
      return callBudget(settings.calls, ground.spentCalls);
    case 'rate_cap':
      return rateCap(settings);
    case 'adaptive_rate':
      return new AdaptiveRate();
    case 'classification':
      return classification(settings);
    case 'retry_after':
      return retryAfter(settings, ground.stream('client:retry-after-jitter'));
    case 'deadline':
      return deadline(settings);
    case 'fixed_backoff':
      return fixedBackoff(settings);
    case 'exponential_backoff':
      return exponentialBackoff(settings, ground.stream(BACKOFF));
    case 'jittered_backoff':
      return jitteredBackoff(settings, ground.stream(BACKOFF));
    case 'aws_backoff':
      return awsBackoff(settings, ground.stream(BACKOFF));
    case 'aws_retry_quota':
      return new AwsRetryQuota(settings);
    case 'grpc_throttle':
      return new GrpcThrottle(settings);
    case 'finagle_budget':
      return new FinagleBudget(settings);
    case 'envoy_budget':
      return new EnvoyBudget(settings);
    case 'circuit_breaker':
      return new CircuitBreaker(settings);
    case 'consecutive_breaker':
      return new ConsecutiveBreaker(settings);
  }
}
