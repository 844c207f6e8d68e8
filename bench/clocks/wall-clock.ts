// Real time behind the interface of the simulated clocks, for clients and for the platform, by a factor if wanted. One of the
// few files that may touch the machine's timers and calendar.

import type { Clock } from '../../clients/ports.ts';
import type { ReplySchedule } from '../../platform-sim/http-answer.ts';
import { checkDelay, MAX_DELAY_MS } from './simulated-clock.ts';

export interface WallClockSettings {
  /** Scenario time that passes in a unit of real time; 1 is real time. */
  readonly speed?: number;
  /** Scenario time at `originMs`, ms. */
  readonly startMs?: number;
  /** What monotonicMs() said at scenario time `startMs`; now when left out. One number for all threads of a night. */
  readonly originMs?: number;
  /** Calendar time at scenario time 0, ms since 1970; the machine's calendar when left out. */
  readonly epochMs?: number;
  /** Told of every timer that ran, how late it was, in ms of real time. */
  readonly late?: (ms: number) => void;
  /** The machine's clocks; a test brings its own. */
  readonly monotonicMs?: () => number;
  readonly calendarMs?: () => number;
}

/** The machine's monotonic clock, the same in every thread (performance.now counts from the start of its own). */
export function monotonicMs(): number {
  const [s, ns] = process.hrtime();
  return s * 1000 + ns / 1e6;
}

/** Calls `run` every `ms` of real time until the function that it returns is called; keeps no thread alive. */
export function everyMs(ms: number, run: () => void): () => void {
  const timer = setInterval(run, ms);
  timer.unref();
  return () => clearInterval(timer);
}

export class WallClock implements Clock, ReplySchedule {
  readonly #speed: number;
  readonly #startMs: number;
  readonly #originMs: number;
  readonly #epochMs: number | undefined;
  readonly #late: ((ms: number) => void) | undefined;
  readonly #monotonicMs: () => number;
  readonly #calendarMs: () => number;

  constructor(settings: WallClockSettings = {}) {
    const { speed = 1, startMs = 0, epochMs, late } = settings;
    this.#monotonicMs = settings.monotonicMs ?? monotonicMs;
    this.#calendarMs = settings.calendarMs ?? Date.now;
    this.#speed = speed;
    this.#startMs = startMs;
    this.#originMs = settings.originMs ?? this.#monotonicMs();
    this.#epochMs = epochMs;
    this.#late = late;
  }

  /** Whole ms of scenario time. */
  nowMs(): number {
    return this.#startMs + Math.round((this.#monotonicMs() - this.#originMs) * this.#speed);
  }

  dateMs(): number {
    return this.#epochMs === undefined ? this.#calendarMs() : this.#epochMs + this.nowMs();
  }

  /**
   * Never early, whatever the machine's timers do: who waited as long as the server told must not be found early. A timer of
   * the machine counts whole ms of real time, so the rest of less than one is waited turn by turn where it is more than
   * one of scenario time.
   */
  after(ms: number, run: () => void): () => void {
    checkDelay(ms);
    const dueMs = this.#monotonicMs() + ms / this.#speed;
    let timer: NodeJS.Timeout | undefined;
    let turn: NodeJS.Immediate | undefined;
    const arm = (leftMs: number) => {
      if (leftMs < 1 && this.#speed > 1) turn = setImmediate(look);
      else timer = setTimeout(look, Math.min(this.#speed > 1 ? Math.floor(leftMs) : Math.ceil(leftMs), MAX_DELAY_MS));
    };
    const look = () => {
      const leftMs = dueMs - this.#monotonicMs();
      if (leftMs > 0) return arm(leftMs);
      this.#late?.(-leftMs);
      run();
    };
    arm(ms / this.#speed);
    return () => {
      clearTimeout(timer);
      clearImmediate(turn);
    };
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
