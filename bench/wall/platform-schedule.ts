// Waits out the latency of each reply on real time and says of each whether it was written or reached nobody. At the end what
// is still due is dropped: its client is gone.

import type { ReplySchedule } from '../../platform-sim/http-answer.ts';
import type { Meter } from '../../platform-sim/meter.ts';
import type { WallClock } from '../clocks/wall-clock.ts';

/** Told when the reply to the request decided last but not yet scheduled is settled. */
type Settled = (settledMs: number, unheard: boolean) => void;

interface Due {
  readonly drop: () => void;
  readonly settled: Settled;
  readonly stopTimer: () => void;
}

export class PlatformSchedule implements ReplySchedule {
  readonly #clock: WallClock;
  readonly #meter: Meter;
  readonly #due = new Set<Due>();
  #next: Settled | undefined;

  constructor(clock: WallClock, meter: Meter) {
    this.#clock = clock;
    this.#meter = meter;
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  /** The server decides and schedules in one go: who sees the verdict names here who is to be told of its end. */
  expect(settled: Settled): void {
    this.#next = settled;
  }

  reply(delayMs: number, send: () => void, drop: () => void): void {
    const settled = this.#next;
    if (settled === undefined) throw new Error('a reply was scheduled for a verdict that nobody saw');
    this.#next = undefined;
    const stopTimer = this.#clock.after(delayMs, () => {
      this.#due.delete(due);
      this.#settle(send, settled);
    });
    const due: Due = { drop, settled, stopTimer };
    this.#due.add(due);
  }

  /** Nobody waits any more. */
  abandon(): void {
    for (const { drop, settled, stopTimer } of this.#due) {
      stopTimer();
      this.#settle(drop, settled);
    }
    this.#due.clear();
  }

  #settle(end: () => void, settled: Settled): void {
    const before = this.#meter.unheard;
    const settledMs = this.#clock.nowMs();
    end();
    settled(settledMs, this.#meter.unheard > before);
  }
}
