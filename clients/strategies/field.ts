// Strategies of the field, by their own published constants: AWS SDKs, gRPC, Finagle, Envoy, Codex, the Anthropic SDK. What
// their sources leave to the application (attempts, base) is named in the summary. None of them knows a quota from a rate.

import { READING } from '../task.ts';
import type { PolicySettings } from './build-policies.ts';
import { ITEM_BY_ITEM } from './scheduler-defaults.ts';
import type { Strategy } from './settings.ts';

const PASSING: PolicySettings = {
  policy: 'classification',
  retryStatuses: [429, 500, 502, 503, 504],
  methodSafety: true,
  knowsQuota: false,
};
const HEARD = { floorMs: 0, fallbackMs: null, jitterMs: [0, 0], onlyLimits: false } as const;

function strategy(summary: string, source: string, policies: readonly PolicySettings[]): Strategy {
  return { summary, source, settings: { request: READING, scheduler: ITEM_BY_ITEM, policies: [PASSING, ...policies] } };
}

const cap = (attempts: number): PolicySettings => ({ policy: 'attempt_cap', attempts });

const AWS_LEGACY: readonly PolicySettings[] = [
  cap(3),
  { policy: 'aws_backoff', transientBaseMs: 100, throttlingBaseMs: 500, capMs: 20_000 },
  { policy: 'aws_retry_quota', capacity: 500, transientCost: 10, throttlingCost: 5, noRetryRefund: 1 },
];

/** Exponential from 100 ms with 20 % jitter, as gRFC A6 has it, for budgets whose sources leave the backoff open. */
const A6_BACKOFF: PolicySettings = {
  policy: 'jittered_backoff',
  jitter: 'proportional',
  baseMs: 100,
  capMs: 1000,
  factor: 2,
  share: 0.2,
};

export const fromField: Readonly<Record<string, Strategy>> = {
  'aws-legacy': strategy(
    'three attempts, full jitter from 100 ms (500 ms when throttled), 500 retry tokens at 10 and 5 a retry',
    'smithy-typescript, standard mode before 2026',
    AWS_LEGACY,
  ),
  'aws-2026': strategy(
    'three attempts, full jitter from 50 ms (1 s when throttled), tokens at 14 and 5, Retry-After up to backoff + 5 s',
    'botocore and smithy-typescript, standard mode of 2026',
    [
      cap(3),
      { policy: 'aws_backoff', transientBaseMs: 50, throttlingBaseMs: 1000, capMs: 20_000 },
      { policy: 'retry_after', ...HEARD, tooLong: 'clamp_to_backoff', limitMs: 5000 },
      { policy: 'aws_retry_quota', capacity: 500, transientCost: 14, throttlingCost: 5, noRetryRefund: 1 },
    ],
  ),
  'aws-adaptive': strategy(
    'aws-legacy behind a client-side rate that falls when throttled',
    'botocore, adaptive mode',
    [{ policy: 'adaptive_rate' }, ...AWS_LEGACY],
  ),
  'grpc-a6': strategy(
    'four attempts from 100 ms to 1 s with 20 % jitter; retries stop when half of 10 tokens are lost',
    'gRFC A6',
    [cap(4), A6_BACKOFF, { policy: 'grpc_throttle', maxTokens: 10, tokenRatio: 0.1 }],
  ),
  finagle: strategy(
    'retries up to 20 % of requests plus 10 a second, over 10 s; attempts and backoff as grpc-a6',
    'Finagle RetryBudget',
    [cap(4), A6_BACKOFF, { policy: 'finagle_budget', percentCanRetry: 0.2, minRetriesPerS: 10, ttlMs: 10_000 }],
  ),
  envoy: strategy(
    'as many retries under way as 20 % of active requests, at least 3; attempts and backoff as grpc-a6',
    'Envoy retry budget',
    [cap(4), A6_BACKOFF, { policy: 'envoy_budget', budgetPercent: 20, minRetryConcurrency: 3 }],
  ),
  codex: strategy('six attempts, 200 ms doubling, plus or minus 10 %, no cap', 'seed 004, Codex sampling layer', [
    cap(6),
    { policy: 'jittered_backoff', jitter: 'proportional', baseMs: 200, capMs: 2 ** 31 - 1, factor: 2, share: 0.1 },
  ]),
  'anthropic-sdk': strategy(
    'three attempts, 0.5 s doubling to 8 s, jitter down to 75 %; Retry-After obeyed without a limit of its own',
    'seed 004 and the measured defaults of @anthropic-ai/sdk',
    [
      cap(3),
      { policy: 'jittered_backoff', jitter: 'downward', baseMs: 500, capMs: 8000, factor: 2, share: 0.25 },
      { policy: 'retry_after', ...HEARD, tooLong: 'cap', limitMs: 2 ** 31 - 1 },
    ],
  ),
};
