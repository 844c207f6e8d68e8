// gRPC's retry throttling: failures cost a token, successes earn a fraction, and no retry goes while half of the tokens or
// more are gone. Source: gRPC proposal A6, "Throttling Retry Attempts and Hedged RPCs".

import type { AttemptResult, Decision, Policy, Retry, Stop } from '../policy.ts';

export interface GrpcThrottleSettings {
  /** Tokens at the start and at most, a whole number of 1 to 1000. */
  readonly maxTokens: number;
  /** Earned by a success; above 0, digits after the third are cut off. */
  readonly tokenRatio: number;
}

const BLOCKED: Stop = { kind: 'stop', reason: 'retry_budget_exhausted', scope: 'operation' };

/** Counts in whole thousandths of a token, so that no sum drifts. */
const TOKEN = 1000;

/** Cuts to three decimals as they are written: 0.57 * 1000 is a hair below 570, and still means 570. */
function thousandths(ratio: number): number {
  return Math.floor(Number((ratio * TOKEN).toPrecision(15)));
}

export class GrpcThrottle implements Policy {
  readonly name = 'grpc_throttle';
  readonly #max: number;
  readonly #gain: number;
  #count: number;

  constructor({ maxTokens, tokenRatio }: GrpcThrottleSettings) {
    this.#max = maxTokens * TOKEN;
    this.#gain = thousandths(tokenRatio);
    this.#count = this.#max;
  }

  get tokens(): number {
    return this.#count / TOKEN;
  }

  /** Every attempt counts, retries too. Only what a retry may help is a failure: a malformed request says nothing of load. */
  settle({ replyClass, reply }: AttemptResult): void {
    if (replyClass === 'ok') this.#count = Math.min(this.#count + this.#gain, this.#max);
    else if (replyClass !== 'other' || (reply?.status ?? 0) >= 500) this.#count = Math.max(this.#count - TOKEN, 0);
  }

  decide(_result: AttemptResult, proposal: Retry | undefined): Decision | undefined {
    return proposal !== undefined && this.#count * 2 <= this.#max ? BLOCKED : proposal;
  }

  budgetLeft(): Readonly<Record<string, number>> {
    return { grpc_throttle: this.tokens };
  }
}
