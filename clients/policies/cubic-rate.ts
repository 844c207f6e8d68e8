// The arithmetic of AWS adaptive mode, apart from the policy that uses it: the CUBIC send rate, the measured rate, and the
// bucket of send tokens (botocore retries/throttling.py, adaptive.py and bucket.py). Rates are attempts a second.

const BETA = 0.7;
const SCALE = 0.4;
const SMOOTHING = 0.8;
const BUCKET_MS = 500;
const MIN_FILL_RATE = 0.5;
const MIN_CAPACITY = 1;

/** After a throttle the rate falls to beta of what it was, climbs back along a cubic curve, rests there, and goes beyond. */
export class CubicRate {
  readonly #beta: number;
  #maxRate: number;
  #throttledMs: number;

  /** @param maxRate the rate at the last throttle, at `throttledMs`; 0 when there was none */
  constructor(maxRate: number, throttledMs: number, beta = BETA) {
    this.#maxRate = maxRate;
    this.#throttledMs = throttledMs;
    this.#beta = beta;
  }

  /** Seconds from a throttle until the rate is again what it was. */
  get plateauS(): number {
    return Math.cbrt((this.#maxRate * (1 - this.#beta)) / SCALE);
  }

  /** The rate after a reply that was no throttle. */
  succeeded(nowMs: number): number {
    return SCALE * ((nowMs - this.#throttledMs) / 1000 - this.plateauS) ** 3 + this.#maxRate;
  }

  /** The rate after a throttle at `rate`. */
  throttled(rate: number, nowMs: number): number {
    this.#maxRate = rate;
    this.#throttledMs = nowMs;
    return rate * this.#beta;
  }
}

/** How fast replies come, by half seconds of the clock, smoothed. */
export class MeasuredRate {
  #bucketMs: number;
  #replies = 0;
  #rate = 0;

  /** Begins with the whole second that `startMs` lies in. */
  constructor(startMs: number) {
    this.#bucketMs = Math.floor(startMs / 1000) * 1000;
  }

  /** Counts a reply; the first in a new half second is counted to those before it. Returns the rate. */
  record(nowMs: number): number {
    const bucketMs = Math.floor(nowMs / BUCKET_MS) * BUCKET_MS;
    this.#replies++;
    if (bucketMs > this.#bucketMs) {
      const rate = this.#replies / ((bucketMs - this.#bucketMs) / 1000);
      this.#rate = rate * SMOOTHING + this.#rate * (1 - SMOOTHING);
      this.#replies = 0;
      this.#bucketMs = bucketMs;
    }
    return this.#rate;
  }
}

/** Send tokens: empty at first, filled at the rate, holding at most a second's worth and always at least room for one. */
export class SendTokens {
  readonly #minRate: number;
  #rate: number;
  #capacity = MIN_CAPACITY;
  #tokens = 0;
  /** Undefined until the first rate is set: from then on it fills. */
  #filledMs: number | undefined;

  constructor(minRate = MIN_FILL_RATE) {
    this.#minRate = minRate;
    this.#rate = minRate;
  }

  get rate(): number {
    return this.#rate;
  }

  get capacity(): number {
    return this.#capacity;
  }

  get tokens(): number {
    return this.#tokens;
  }

  setRate(rate: number, nowMs: number): void {
    this.#fill(nowMs);
    this.#rate = Math.max(rate, this.#minRate);
    this.#capacity = Math.max(rate, MIN_CAPACITY);
    this.#tokens = Math.min(this.#tokens, this.#capacity);
  }

  /** Takes a token, or takes none and says how long until there is one, in whole ms, rounded up; 0 means taken. */
  take(nowMs: number): number {
    this.#fill(nowMs);
    if (this.#tokens < 1) return Math.ceil(((1 - this.#tokens) / this.#rate) * 1000);
    this.#tokens--;
    return 0;
  }

  giveBack(): void {
    this.#tokens = Math.min(this.#tokens + 1, this.#capacity);
  }

  #fill(nowMs: number): void {
    const passedMs = nowMs - (this.#filledMs ?? nowMs);
    this.#tokens = Math.min(this.#tokens + (passedMs * this.#rate) / 1000, this.#capacity);
    this.#filledMs = nowMs;
  }
}
