// Exponential backoff with the published ways to jitter it: full, equal and decorrelated (AWS), plus or minus a share
// (Codex, seed 003), and downward only (Anthropic's SDK). Formulas: layers-and-jitter.json of the task's reference.

import { wholeBetween } from '../../platform-sim/draws.ts';
import type { Operation, Policy } from '../policy.ts';
import type { Random } from '../ports.ts';

/**
 * With v = min(cap, base * factor^(attempt-1)): `none` v; `full` uniform(0, v); `equal` v/2 + uniform(0, v/2);
 * `decorrelated` min(cap, uniform(base, 3 * wait before)); `proportional` v * (1 +- share); `downward` v * (1 - share * u).
 */
export type Jitter = 'none' | 'full' | 'equal' | 'decorrelated' | 'proportional' | 'downward';

export interface JitteredBackoffSettings {
  readonly jitter: Jitter;
  /** Wait after the first attempt, before jitter. */
  readonly baseMs: number;
  /**
   * The longest wait before jitter, at most 2^31-1; to have no cap, set it to that. Only `proportional` goes above, by
   * its share: it is applied after the cap, as in seed 003, so that waits at the cap are spread to both sides.
   */
  readonly capMs: number;
  /** Growth from one attempt to the next, at least 1; published: 2. `decorrelated` has its own and ignores this. */
  readonly factor: number;
  /** 0 to 1; 0.1 Codex, 0.3 seed 003, 0.25 Anthropic's SDK. Only `proportional` and `downward` look at it. */
  readonly share: number;
}

/** A timer set to more runs at once. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** Above the rounding error of any wait times a share, so that 29 % of 100 ms is 29 and not 28. */
const EPSILON_MS = 1e-6;

/**
 * Whole ms; both ends of the range, rounded down, are reached.
 * @param attempt number of the attempt that failed, from 1; any size
 * @param previousMs the wait of this backoff before, 0 when there was none; only `decorrelated` looks at it
 * @param uniform in [0, 1)
 */
export function jitteredMs(
  { jitter, baseMs, capMs, factor, share }: JitteredBackoffSettings,
  attempt: number,
  previousMs: number,
  uniform: number,
): number {
  const cap = Math.min(capMs, MAX_TIMER_MS);
  // The power may be Infinity, and 0 * Infinity would be NaN.
  const power = Math.min(factor ** (attempt - 1), Number.MAX_VALUE);
  const nominal = Math.floor(Math.min(baseMs * power, cap));
  const low = nominal - Math.ceil(nominal * share - EPSILON_MS);
  switch (jitter) {
    case 'none':
      return nominal;
    case 'full':
      return wholeBetween(0, nominal, uniform);
    case 'equal':
      return wholeBetween(Math.floor(nominal / 2), nominal, uniform);
    case 'decorrelated': {
      const base = Math.floor(Math.min(baseMs, cap));
      const before = Math.max(base, Math.min(previousMs, cap));
      return Math.min(wholeBetween(base, 3 * before, uniform), cap);
    }
    case 'proportional': {
      const high = nominal + Math.floor(nominal * share + EPSILON_MS);
      return wholeBetween(low, Math.min(high, MAX_TIMER_MS), uniform);
    }
    case 'downward':
      return wholeBetween(low, nominal, uniform);
  }
}

export function jitteredBackoff(settings: JitteredBackoffSettings, random: Random): Policy {
  // Not operation.previousWaitMs: that may be a wait which the server told or another policy set, and is not ours to grow.
  const own = new WeakMap<Operation, number>();
  return {
    name: 'jittered_backoff',
    decide({ operation, attempt }) {
      const waitMs = jitteredMs(settings, attempt, own.get(operation) ?? 0, random(operation.item, attempt));
      if (settings.jitter === 'decorrelated') own.set(operation, waitMs);
      return { kind: 'retry', waitMs, because: 'backoff' };
    },
  };
}
