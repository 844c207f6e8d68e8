// Real time behind the interface of the simulated clocks, for clients and for the platform, by a factor if wanted. One of the
// few files that may touch the machine's timers and calendar.

import type { Clock } from '../../clients/ports.ts';
import type { ReplySchedule } from '../../platform-sim/http-answer.ts';
import { checkDelay } from './simulated-clock.ts';

export interface WallClockSettings {
  /** Scenario time that passes in a unit of real time; 1 is real time. */
  readonly speed?: number;
  /** Scenario time now, ms. */
  readonly startMs?: number;
  /** Calendar time at scenario time 0, ms since 1970; the machine's calendar when left out. */
  readonly epochMs?: number;
}

export class WallClock implements Clock, ReplySchedule {
  readonly #startedMs = performance.now();
  readonly #speed: number;
  readonly #offsetMs: number;
  readonly #epochMs: number | undefined;

  constructor({ speed = 1, startMs = 0, epochMs }: WallClockSettings = {}) {
    this.#speed = speed;
    this.#offsetMs = startMs;
    this.#epochMs = epochMs;
  }

  /** Whole ms of scenario time. */
  nowMs(): number {
    return this.#offsetMs + Math.round((performance.now() - this.#startedMs) * this.#speed);
  }

  dateMs(): number {
    return this.#epochMs === undefined ? Date.now() : this.#epochMs + this.nowMs();
  }

  after(ms: number, run: () => void): () => void {
    checkDelay(ms);
    const timer = setTimeout(run, ms / this.#speed);
    return () => clearTimeout(timer);
  }

  reply(delayMs: number, send: () => void): void {
    this.after(delayMs, send);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    checkDelay(ms);
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        stop();
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const stop = this.after(ms, end);
      signal?.addEventListener('abort', end, { once: true });
    });
  }
}
