// Obeys the server: after a rate rejection the wait is what its Retry-After says, whatever was proposed before. A quota
// rejection is not its business.

import { RETRY_AFTER_HEADER } from '../../platform-sim/wire.ts';
import type { Policy } from '../policy.ts';

export interface RetryAfterSettings {
  /** A longer wait is cut to this (seed 001: 10 s; other documents never shorten a server's wait). */
  readonly capMs: number;
  /** Wait when the header is absent or can not be read. */
  readonly fallbackMs: number;
}

const SECONDS = /^[0-9]{1,10}$/;

export function retryAfter({ capMs, fallbackMs }: RetryAfterSettings): Policy {
  return {
    name: 'retry_after',
    decide({ replyClass, reply }, proposal) {
      if (replyClass !== 'limit429') return proposal;
      const text = reply?.headers[RETRY_AFTER_HEADER];
      const told = text !== undefined && SECONDS.test(text) ? Number(text) * 1000 : undefined;
      const waitMs = Math.min(told ?? fallbackMs, capMs);
      return { kind: 'retry', waitMs, because: told === undefined ? 'retry_after_unreadable' : 'retry_after' };
    },
  };
}
