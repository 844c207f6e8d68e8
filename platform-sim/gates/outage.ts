// An outage: every request in a window of scenario time, to all hosts or some, is answered 503. Behind the billing gate it burns
// quota, in front of it it does not; the order of gates says which.

import { type RetryAfterForm, stateRetryAfter } from '../retry-after.ts';
import type { Gate } from '../types.ts';

export interface OutageSettings {
  /** Window [fromMs, toMs) in scenario time. */
  readonly fromMs: number;
  readonly toMs: number;
  readonly retryAfter: RetryAfterForm;
  /** The hosts that are down; left out, all of them. */
  readonly hosts?: readonly string[] | undefined;
}

export function outage(settings: OutageSettings, dateMs: (nowMs: number) => number): Gate {
  return {
    name: 'outage',
    examine({ nowMs, billed, host }) {
      if (nowMs < settings.fromMs || nowMs >= settings.toMs) return undefined;
      if (settings.hosts !== undefined && !settings.hosts.includes(host)) return undefined;
      const retryAfter = stateRetryAfter(settings.retryAfter, settings.toMs - nowMs, dateMs(nowMs));
      return { verdictClass: billed ? 'error503' : 'unavailable', status: 503, retryAfter };
    },
  };
}
