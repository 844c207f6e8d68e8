// The retry quota of AWS standard mode: every retry takes tokens of a bucket that the whole client shares, and only
// success puts some back. Source: botocore retries/{quota,standard}.py and smithy-typescript util-retry.

import type { AttemptResult, Decision, Operation, Policy, Retry, Stop } from '../policy.ts';
import { isThrottling } from './aws-backoff.ts';

export interface AwsRetryQuotaSettings {
  /** Tokens at the start, and never more than that; 500. */
  readonly capacity: number;
  /** Price of a retry after a transient failure: 5 in botocore and 10 in smithy before 2026, 14 since. */
  readonly transientCost: number;
  /** Price of a retry after a throttle: 5. */
  readonly throttlingCost: number;
  /** What the success of an operation gives that needed no retry; 1. */
  readonly noRetryRefund: number;
}

const EXHAUSTED: Stop = { kind: 'stop', reason: 'retry_budget_exhausted', scope: 'operation' };

/** A bucket that starts full and holds 0 to `capacity` tokens. */
export class RetryTokens {
  readonly #capacity: number;
  #left: number;

  constructor(capacity: number) {
    this.#capacity = capacity;
    this.#left = capacity;
  }

  get left(): number {
    return this.#left;
  }

  /** All of them or, when there are not as many, none. */
  take(tokens: number): boolean {
    if (tokens > this.#left) return false;
    this.#left -= tokens;
    return true;
  }

  /** What does not fit is lost. */
  giveBack(tokens: number): void {
    this.#left = Math.min(this.#left + tokens, this.#capacity);
  }
}

/**
 * Stands last in the list: it pays for the retry that the policies before it agreed on, and a refusal by a later one gives
 * nothing back, as a failed operation gives nothing back.
 */
export class AwsRetryQuota implements Policy {
  readonly name = 'aws_retry_quota';
  readonly #settings: AwsRetryQuotaSettings;
  readonly #bucket: RetryTokens;
  /** What the last retry of an operation cost. */
  readonly #paid = new WeakMap<Operation, number>();

  constructor(settings: AwsRetryQuotaSettings) {
    this.#settings = settings;
    this.#bucket = new RetryTokens(settings.capacity);
  }

  get tokens(): number {
    return this.#bucket.left;
  }

  settle({ operation, replyClass }: AttemptResult): void {
    if (replyClass === 'ok') this.#bucket.giveBack(this.#paid.get(operation) ?? this.#settings.noRetryRefund);
  }

  decide({ operation, replyClass }: AttemptResult, proposal: Retry | undefined): Decision | undefined {
    if (proposal === undefined) return undefined;
    const cost = isThrottling(replyClass) ? this.#settings.throttlingCost : this.#settings.transientCost;
    if (!this.#bucket.take(cost)) return EXHAUSTED;
    this.#paid.set(operation, cost);
    return proposal;
  }

  budgetLeft(): Readonly<Record<string, number>> {
    return { aws_retry_quota: this.tokens };
  }
}
