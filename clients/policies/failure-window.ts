// Calls and failures of the last so many milliseconds, exactly: an entry leaves when its time is up, however long nothing
// happened, and not a step at a time when the next event comes.

/** Entries kept at most; the oldest leave first. Bounds memory for windows of hours. */
const MAX_ENTRIES = 1 << 16;

export class FailureWindow {
  readonly #windowMs: number;
  /** Two rings, in step: when each call ended, and whether it failed. */
  #times = new Float64Array(64);
  #failed = new Uint8Array(64);
  #first = 0;
  #calls = 0;
  #failures = 0;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** @param nowMs never less than in the call before */
  add(nowMs: number, failed: boolean): void {
    this.#expire(nowMs);
    if (this.#calls === this.#times.length) {
      if (this.#calls < MAX_ENTRIES) this.#grow();
      else this.#dropFirst();
    }
    const last = (this.#first + this.#calls) % this.#times.length;
    this.#times[last] = nowMs;
    this.#failed[last] = failed ? 1 : 0;
    this.#calls++;
    if (failed) this.#failures++;
  }

  /** What the window (nowMs - windowMs, nowMs] holds. */
  counts(nowMs: number): { readonly calls: number; readonly failures: number } {
    this.#expire(nowMs);
    return { calls: this.#calls, failures: this.#failures };
  }

  clear(): void {
    this.#first = 0;
    this.#calls = 0;
    this.#failures = 0;
  }

  #expire(nowMs: number): void {
    while (this.#calls > 0 && (this.#times[this.#first] as number) <= nowMs - this.#windowMs) this.#dropFirst();
  }

  #dropFirst(): void {
    this.#failures -= this.#failed[this.#first] as number;
    this.#first = (this.#first + 1) % this.#times.length;
    this.#calls--;
  }

  #grow(): void {
    const size = this.#times.length * 2;
    const times = new Float64Array(size);
    const failed = new Uint8Array(size);
    for (let i = 0; i < this.#calls; i++) {
      const from = (this.#first + i) % this.#times.length;
      times[i] = this.#times[from] as number;
      failed[i] = this.#failed[from] as number;
    }
    this.#times = times;
    this.#failed = failed;
    this.#first = 0;
  }
}
