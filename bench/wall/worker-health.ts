// How well a thread kept time: how long its event loop kept others waiting, and how late its timers were. In ms of real time;
// judge.ts says what that means at a speed.

import { createHistogram, type Histogram, monitorEventLoopDelay } from 'node:perf_hooks';

export interface Lateness {
  readonly count: number;
  readonly mean: number;
  readonly p99: number;
  readonly max: number;
}

export interface WorkerHealth {
  readonly loopDelayMs: Lateness;
  readonly timerErrorMs: Lateness;
}

/** The monitor is a timer of its own, which runs as often; it tells the whole time between two runs. */
const TICK_MS = 5;

export class HealthMonitor {
  readonly #loop = monitorEventLoopDelay({ resolution: TICK_MS });
  readonly #timers = createHistogram();

  start(): void {
    this.#loop.enable();
  }

  /** A timer ran so late. */
  readonly late = (ms: number): void => {
    // A histogram of Node counts whole numbers from 1: microseconds are fine enough.
    this.#timers.record(Math.max(1, Math.round(ms * 1000)));
  };

  stop(): WorkerHealth {
    this.#loop.disable();
    return { loopDelayMs: lateness(this.#loop, 1e6, TICK_MS), timerErrorMs: lateness(this.#timers, 1000, 0) };
  }
}

/**
 * @param unit values of the histogram in a ms
 * @param expectedMs what a value is when nothing is late
 */
function lateness(histogram: Histogram, unit: number, expectedMs: number): Lateness {
  const { count } = histogram;
  if (count === 0) return { count, mean: 0, p99: 0, max: 0 };
  const late = (value: number) => Math.max(0, Math.round((value / unit - expectedMs) * 1000) / 1000);
  return { count, mean: late(histogram.mean), p99: late(histogram.percentile(99)), max: late(histogram.max) };
}
