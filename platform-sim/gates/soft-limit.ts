// A soft limit that strikes by chance: 429 with a wait, drawn anew for each request.

import type { Stream } from '../draws.ts';
import { type RetryAfterForm, stateRetryAfter } from '../retry-after.ts';
import type { Gate } from '../types.ts';

export interface SoftLimitSettings {
  /** Share of the requests that reach this gate and are refused, 0 to 1. */
  readonly rate: number;
  readonly retryAfter: RetryAfterForm;
}

export function softLimit(settings: SoftLimitSettings, draw: Stream, dateMs: (nowMs: number) => number): Gate {
  return {
    name: 'soft_limit',
    examine({ key, ordinal, nowMs }) {
      if (draw(key, ordinal) >= settings.rate) return undefined;
      const retryAfter = stateRetryAfter(settings.retryAfter, 0, dateMs(nowMs));
      return { verdictClass: 'soft', status: 429, limitKind: 'soft', retryAfter };
    },
  };
}
