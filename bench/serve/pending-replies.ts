// Replies that wait for their time: their number is what is in flight, and when the server stops they can be waited for, or given
// up all at once.

import { WallClock } from '../clocks/wall-clock.ts';

export class PendingReplies {
  readonly #drops = new Set<() => void>();
  #whenEmpty: (() => void) | undefined;

  get size(): number {
    return this.#drops.size;
  }

  /**
   * Calls `send` in `delayMs` of the clock's time.
   * @returns gives the reply up: `drop` is called instead, unless it was sent before
   */
  add(clock: WallClock, delayMs: number, send: () => void, drop: () => void): () => void {
    const stopTimer = clock.after(delayMs, () => {
      this.#drops.delete(giveUp);
      send();
      this.#told();
    });
    const giveUp = () => {
      if (!this.#drops.delete(giveUp)) return;
      stopTimer();
      drop();
      this.#told();
    };
    this.#drops.add(giveUp);
    return giveUp;
  }

  /** Resolves when none is left; after `limitMs` of real time the rest is given up. */
  async drain(limitMs: number): Promise<void> {
    if (this.size > 0) {
      const over = new AbortController();
      this.#whenEmpty = () => over.abort();
      await new WallClock().sleep(limitMs, over.signal);
      this.#whenEmpty = undefined;
    }
    this.dropAll();
  }

  dropAll(): void {
    for (const giveUp of [...this.#drops]) giveUp();
  }

  #told(): void {
    if (this.size === 0) this.#whenEmpty?.();
  }
}
