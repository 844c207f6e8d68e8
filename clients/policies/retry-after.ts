// Obeys the server: when a reply tells a wait, that is the wait, whatever was proposed before. A quota rejection is not its
// business. What to do with a wait that is too long is a setting, because the documents disagree.

import { wholeBetween } from '../../platform-sim/draws.ts';
import type { Decision, Policy, Retry } from '../policy.ts';
import type { Random } from '../ports.ts';

export interface RetryAfterSettings {
  /**
   * `never_shorten`: a wait over the limit stops the operation (seeds 000 and 002). `cap`: it is cut to the limit (001, 003).
   * `clamp_to_backoff`: max(backoff, min(told, backoff + limit)) (AWS).
   */
  readonly tooLong: 'never_shorten' | 'cap' | 'clamp_to_backoff';
  readonly limitMs: number;
  /** No wait that the server tells is shorter than this (seed 000: 1 s). */
  readonly floorMs: number;
  /** Wait after a rate rejection that tells none, or nothing readable; null leaves it to the policies before. */
  readonly fallbackMs: number | null;
  /** Only ever added to what the server told: whole ms, both ends included. */
  readonly jitterMs: readonly [low: number, high: number];
  /** Whether only rate rejections are heard, or every reply that tells a wait, a 503 for one. */
  readonly onlyLimits: boolean;
}

export function retryAfter(settings: RetryAfterSettings, random: Random): Policy {
  const { fallbackMs, jitterMs, onlyLimits } = settings;
  return {
    name: 'retry_after',
    decide({ replyClass, told, operation, attempt }, proposal) {
      if (replyClass === 'quota429' || (onlyLimits && replyClass !== 'limit429')) return proposal;
      switch (told.kind) {
        case 'clock_untrusted':
          return { kind: 'stop', reason: 'clock_untrusted', scope: 'operation' };
        case 'absent':
        case 'invalid':
          if (replyClass !== 'limit429' || fallbackMs === null) return proposal;
          return { kind: 'retry', waitMs: fallbackMs, because: 'retry_after_fallback' };
        default: {
          const jitter = wholeBetween(jitterMs[0], jitterMs[1], random(operation.item, attempt));
          return obeyed(told.waitMs, settings, proposal, jitter);
        }
      }
    },
  };
}

function obeyed(toldMs: number, settings: RetryAfterSettings, proposal: Retry | undefined, jitter: number): Decision {
  const { tooLong, limitMs, floorMs } = settings;
  const flooredMs = Math.max(floorMs, toldMs);
  switch (tooLong) {
    case 'never_shorten':
      if (flooredMs > limitMs) return { kind: 'stop', reason: 'retry_after_exceeds_limit', scope: 'operation' };
      return again(flooredMs + jitter);
    case 'cap':
      return again(Math.min(flooredMs, limitMs) + jitter);
    case 'clamp_to_backoff': {
      const backoffMs = proposal?.waitMs ?? 0;
      const waitMs = Math.max(backoffMs, Math.min(flooredMs, backoffMs + limitMs));
      return again(waitMs + jitter);
    }
  }
}

/** No timer takes a longer wait. */
const MAX_TIMER_MS = 2 ** 31 - 1;
const again = (waitMs: number): Retry => ({
  kind: 'retry',
  waitMs: Math.min(waitMs, MAX_TIMER_MS),
  because: 'retry_after',
});
