// AWS adaptive mode: a limit of one's own on how fast attempts are sent, which the first throttle switches on and which
// follows throttles down and successes up. Source: botocore retries/adaptive.py; the arithmetic is in cubic-rate.ts.

import type { AttemptResult, Decision, Operation, Policy } from '../policy.ts';
import { CubicRate, MeasuredRate, SendTokens } from './cubic-rate.ts';

/** The rate is never set above this many times what was measured. */
const MAX_OVER_MEASURED = 2;

/**
 * First attempts and retries alike take a token. Whoever finds none waits until one is due and asks again, so of several
 * that wait the first to ask gets it. Only a rate rejection is a throttle; every other reply, a failure too, raises the
 * rate, as it does in botocore. Has no settings: AWS publishes none either.
 */
export class AdaptiveRate implements Policy {
  readonly name = 'adaptive_rate';
  readonly #bucket = new SendTokens();
  #started: { readonly cubic: CubicRate; readonly measured: MeasuredRate } | undefined;
  #enabled = false;

  /** Whether a throttle has switched it on; it stays on. */
  get enabled(): boolean {
    return this.#enabled;
  }

  /** Attempts a second that it allows once it is on. */
  get rate(): number {
    return this.#bucket.rate;
  }

  get tokens(): number {
    return this.#bucket.tokens;
  }

  admit(_operation: Operation, nowMs: number): Decision | undefined {
    this.#start(nowMs);
    if (!this.#enabled) return undefined;
    const waitMs = this.#bucket.take(nowMs);
    return waitMs === 0 ? undefined : { kind: 'retry', waitMs, because: 'client_rate' };
  }

  /** Comes right after the admission, before any reply: a token was taken exactly if the limit is on. */
  withdraw(): void {
    if (this.#enabled) this.#bucket.giveBack();
  }

  settle({ receivedMs, replyClass }: AttemptResult): void {
    const { cubic, measured } = this.#start(receivedMs);
    const measuredRate = measured.record(receivedMs);
    const throttled = replyClass === 'limit429';
    const sentAtRate = this.#enabled ? Math.min(measuredRate, this.#bucket.rate) : measuredRate;
    const rate = throttled ? cubic.throttled(sentAtRate, receivedMs) : cubic.succeeded(receivedMs);
    this.#enabled ||= throttled;
    this.#bucket.setRate(Math.min(rate, MAX_OVER_MEASURED * measuredRate), receivedMs);
  }

  /** The first event is the making of the client: it fixes the time from which rates are measured. */
  #start(nowMs: number): { readonly cubic: CubicRate; readonly measured: MeasuredRate } {
    this.#started ??= { cubic: new CubicRate(0, nowMs), measured: new MeasuredRate(nowMs) };
    return this.#started;
  }
}
