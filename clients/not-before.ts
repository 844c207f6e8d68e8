// When each item may be asked for again, by what the server said last. Whoever sends earlier than told is counted, whatever
// the strategy; the count is how much of the server's word a client ignores.

import type { ToldWait } from './retry-after/told-wait.ts';

export class NotBefore {
  /** Only items that were told something: a flat array for all of them would be most of what a night allocates. */
  readonly #untilMs = new Map<number, number>();

  /** A success is the last word on an item; an attempt without a reply is none. */
  clear(item: number): void {
    this.#untilMs.delete(item);
  }

  hear(item: number, told: ToldWait, receivedMs: number): void {
    if (told.kind === 'seconds' || told.kind === 'date') this.#untilMs.set(item, receivedMs + told.waitMs);
    else this.#untilMs.delete(item);
  }

  isEarly(item: number, nowMs: number): boolean {
    return nowMs < (this.#untilMs.get(item) ?? 0);
  }
}
