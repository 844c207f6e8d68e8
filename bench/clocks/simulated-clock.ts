// Simulated time for asynchronous code. Pops one event, sets the time, calls it, and pops the next only when every promise
// reaction has finished and nobody holds the clock. Without holds this is the `virtual` clock; with a hold for every byte
// on a socket it is the `lockstep` clock.

import type { Clock } from '../../clients/ports.ts';
import type { Scheduler } from '../../platform-sim/in-process.ts';
import { EventQueue, type Run } from './event-queue.ts';

/** The longest delay that a Node timer takes without firing at once. */
export const MAX_DELAY_MS = 2 ** 31 - 1;
/**
 * Immediates queued at once. Node drains microtasks and ticks between two immediates of one batch, so each of them may
 * pop an event, and the event loop is paid once a batch.
 */
const MAX_BATCH = 1024;

/** Begins the message of the error when a night does not end in time; the class of an error does not survive a worker. */
export const TIME_LIMIT = 'scenario time limit';

// The resolver of the promise that is being made: a closure for each of a night's sleeps can be measured.
let captured: (nothing: undefined) => void = () => {};
const capture = (resolve: (nothing: undefined) => void): void => {
  captured = resolve;
};

export class SimulatedClock implements Clock, Scheduler {
  readonly #events = new EventQueue();
  readonly #epochMs: number;
  readonly #limitMs: number;
  #nowMs = 0;
  #seq = 0;
  #holds = 0;
  #batch = 1;
  /** Immediates queued and not yet run. */
  #queued = 0;
  #running = false;
  #stalled: ((error: Error) => void) | undefined;

  /**
   * @param epochMs calendar time at scenario time 0, ms since 1970
   * @param limitMs scenario time that no event may pass: the bound of the loop
   */
  constructor(epochMs: number, limitMs: number) {
    this.#epochMs = epochMs;
    this.#limitMs = limitMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  dateMs(): number {
    return this.#epochMs + this.#nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal === undefined) {
      const sleeping = new Promise<void>(capture);
      this.schedule(ms, captured, undefined);
      return sleeping;
    }
    checkDelay(ms);
    if (signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const wake = () => {
        signal.removeEventListener('abort', wake);
        resolve();
      };
      signal.addEventListener('abort', wake);
      this.schedule(ms, wake, undefined);
    });
  }

  /** A call that was cancelled keeps its place in the queue and does nothing there. */
  after(ms: number, run: () => void): () => void {
    let due: (() => void) | undefined = run;
    this.schedule(ms, () => due?.(), undefined);
    return () => {
      due = undefined;
    };
  }

  schedule<T>(delayMs: number, run: (argument: T) => void, argument: T): void {
    this.scheduleReserved(delayMs, this.reserve(), run, argument);
  }

  /** Takes the next place among events of equal time now, for an event whose time is known later. */
  reserve(): number {
    return this.#seq++;
  }

  scheduleReserved<T>(delayMs: number, seq: number, run: (argument: T) => void, argument: T): void {
    checkDelay(delayMs);
    this.#events.push(this.#nowMs + delayMs, seq, run as Run, argument);
  }

  /** Stops time until the same number of releases: a byte is under way. */
  hold(): void {
    this.#holds++;
  }

  release(): void {
    if (this.#holds === 0) throw new Error('clock released more often than held');
    this.#holds--;
    if (this.#holds === 0 && this.#running && this.#queued === 0) this.#queueBatch();
  }

  /**
   * Runs `main` and simulated time until main settles.
   * @throws Error when nothing is left to happen, or the time limit is passed, and main still waits
   */
  async run<T>(main: () => Promise<T>): Promise<T> {
    if (this.#running) throw new Error('clock is running already');
    this.#running = true;
    const stalled = new Promise<never>((_resolve, reject) => {
      this.#stalled = reject;
    });
    this.#queueBatch();
    try {
      return await Promise.race([main(), stalled]);
    } finally {
      this.#running = false;
    }
  }

  #queueBatch(): void {
    this.#queued += this.#batch;
    for (let i = 0; i < this.#batch; i++) setImmediate(this.#step);
    this.#batch = Math.min(MAX_BATCH, this.#batch * 2);
  }

  readonly #step = (): void => {
    this.#queued--;
    if (!this.#running) return;
    if (this.#holds > 0) {
      // A byte is under way and will be here in microseconds: with an immediate queued the event loop looks for it again and
      // again instead of going to sleep, which was a fifth of a night.
      this.#batch = 1;
      if (this.#queued === 0) this.#queueBatch();
      return;
    }
    const nextMs = this.#events.nextMs;
    if (nextMs > this.#limitMs) {
      this.#running = false;
      this.#stalled?.(this.#stallError(nextMs));
      return;
    }
    this.#nowMs = nextMs;
    this.#events.runNext();
    if (this.#queued === 0) this.#queueBatch();
  };

  #stallError(nextMs: number): Error {
    return nextMs === Number.POSITIVE_INFINITY
      ? new Error(`no event left at ${this.#nowMs} ms of scenario time, and the client still waits`)
      : new Error(
          `${TIME_LIMIT}: next event at ${nextMs} ms is past the limit of ${this.#limitMs} ms of scenario time`,
        );
  }
}

/** @throws RangeError for what no timer may get */
export function checkDelay(ms: number): void {
  if (!(ms >= 0 && ms <= MAX_DELAY_MS)) throw new RangeError(`delay of ${ms} ms: allowed are 0 to ${MAX_DELAY_MS}`);
}
