// When each item may be asked for again, by what the server said last. Whoever sends earlier than told is counted, whatever
// the strategy; the count is how much of the server's word a client ignores.

import type { ToldWait } from './retry-after/told-wait.ts';

export class NotBefore {
  readonly #untilMs: Float64Array;

  /** @param items largest item number */
  constructor(items: number) {
    this.#untilMs = new Float64Array(items + 1);
  }

  /** A success is the last word on an item; an attempt without a reply is none. */
  clear(item: number): void {
    this.#untilMs[item] = 0;
  }

  hear(item: number, told: ToldWait, receivedMs: number): void {
    this.#untilMs[item] = told.kind === 'seconds' || told.kind === 'date' ? receivedMs + told.waitMs : 0;
  }

  isEarly(item: number, nowMs: number): boolean {
    return nowMs < (this.#untilMs[item] ?? 0);
  }
}
