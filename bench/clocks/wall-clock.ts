// Real time behind the interface of the simulated clocks: for a probe of a real endpoint. One of the few files that may touch
// the machine's timers and calendar.

import type { Clock } from '../../clients/ports.ts';
import { checkDelay } from './simulated-clock.ts';

export class WallClock implements Clock {
  readonly #startMs = performance.now();

  /** Whole ms since the clock was made. */
  nowMs(): number {
    return Math.round(performance.now() - this.#startMs);
  }

  dateMs(): number {
    return Date.now();
  }

  after(ms: number, run: () => void): () => void {
    checkDelay(ms);
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    checkDelay(ms);
    if (signal?.aborted === true) return Promise.resolve();
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal?.addEventListener('abort', end, { once: true });
    });
  }
}
