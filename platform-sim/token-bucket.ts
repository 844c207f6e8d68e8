// Token bucket arithmetic, apart from the gate that uses it. Levels are kept in thousandths of a token: a rate per second
// times whole milliseconds is then a whole number for whole rates, so that polling never loses a fraction.

const SCALE = 1000;
/** Slack for rates that are no whole number; a hundred-millionth of a token. */
const EPSILON = 1e-5;

export class TokenBucket {
  readonly #refillPerS: number;
  readonly #full: number;
  #level: number;
  /** High-water mark of the time seen: a clock that steps back mints nothing twice. */
  #markMs: number;

  /**
   * Starts full.
   * @param refillPerS tokens a second, at least 0
   * @param burst size of the bucket in tokens
   */
  constructor(refillPerS: number, burst: number, nowMs = 0) {
    this.#refillPerS = refillPerS;
    this.#full = burst * SCALE;
    this.#level = this.#full;
    this.#markMs = nowMs;
  }

  /** Takes `count` tokens if they are there; takes nothing otherwise. */
  take(nowMs: number, count = 1): boolean {
    this.#refill(nowMs);
    const cost = count * SCALE;
    if (this.#level + EPSILON < cost) return false;
    this.#level = Math.max(0, this.#level - cost);
    return true;
  }

  /** Tokens in the bucket at `nowMs`, fractions included. */
  tokens(nowMs: number): number {
    this.#refill(nowMs);
    return this.#level / SCALE;
  }

  /** Milliseconds until `count` tokens are there; 0 if they are now, Infinity if they never will be. */
  waitMs(nowMs: number, count = 1): number {
    this.#refill(nowMs);
    const missing = count * SCALE - this.#level;
    if (missing <= EPSILON) return 0;
    if (count * SCALE > this.#full + EPSILON) return Number.POSITIVE_INFINITY;
    // What is below a billionth is noise of the division.
    return Math.round((missing / this.#refillPerS) * 1e9) / 1e9;
  }

  #refill(nowMs: number): void {
    if (nowMs <= this.#markMs) return;
    this.#level = Math.min(this.#full, this.#level + (nowMs - this.#markMs) * this.#refillPerS);
    this.#markMs = nowMs;
  }
}
