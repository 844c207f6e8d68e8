// The backoff of AWS standard mode: full jitter, random * min(base * 2^(attempt-1), cap), with a base of its own after a
// throttle. Source: botocore retries/standard.py and smithy-typescript util-retry.

import type { Policy, ReplyClass } from '../policy.ts';
import type { Random } from '../ports.ts';
import { exponentialMs } from './exponential-backoff.ts';

export interface AwsBackoffSettings {
  /** Longest wait after the first attempt when the failure was none of ours: 100 in the older SDKs, 50 since 2026. */
  readonly transientBaseMs: number;
  /** The same when we were told that we are too fast: 500 in the older SDKs, 1000 since 2026. */
  readonly throttlingBaseMs: number;
  /** No wait is longer, 20,000 in both. */
  readonly capMs: number;
}

/** What AWS calls a throttling error; every other failure is transient to it. */
export function isThrottling(replyClass: ReplyClass): boolean {
  return replyClass === 'limit429' || replyClass === 'quota429';
}

/** Waits are cut to whole milliseconds (floor). Which failures deserve a retry is not its business. */
export function awsBackoff(settings: AwsBackoffSettings, random: Random): Policy {
  const { transientBaseMs, throttlingBaseMs, capMs } = settings;
  return {
    name: 'aws_backoff',
    decide({ operation, attempt, replyClass }) {
      const baseMs = isThrottling(replyClass) ? throttlingBaseMs : transientBaseMs;
      const waitMs = Math.floor(random(operation.item, attempt) * exponentialMs(baseMs, capMs, attempt));
      return { kind: 'retry', waitMs, because: 'backoff' };
    },
  };
}
