// Exponential backoff with additive jitter, as published (seed 001): min(base * 2^(attempt-1) + jitter, cap).

import { wholeBetween } from '../../platform-sim/draws.ts';
import type { Policy } from '../policy.ts';
import type { Random } from '../ports.ts';

export interface ExponentialBackoffSettings {
  /** Wait after the first attempt, before jitter. */
  readonly baseMs: number;
  /** The longest wait, jitter included. */
  readonly capMs: number;
  /** Whole milliseconds added to each wait, uniform, both ends included. */
  readonly jitterMs: readonly [low: number, high: number];
}

/** @param attempt number of the attempt that failed, from 1; any size, the result never passes the cap */
export function exponentialMs(baseMs: number, capMs: number, attempt: number): number {
  // 2^1023 is the largest power that a number holds; min() makes of Infinity the cap, but 0 * Infinity would be NaN.
  return Math.min(baseMs * 2 ** Math.min(attempt - 1, 1000), capMs);
}

export function exponentialBackoff(settings: ExponentialBackoffSettings, random: Random): Policy {
  const { baseMs, capMs, jitterMs } = settings;
  const [low, high] = jitterMs;
  return {
    name: 'exponential_backoff',
    decide({ operation, attempt }) {
      const jitter = wholeBetween(low, high, random(operation.item, attempt));
      const waitMs = Math.min(exponentialMs(baseMs, capMs, attempt) + jitter, capMs);
      return { kind: 'retry', waitMs, because: 'backoff' };
    },
  };
}
