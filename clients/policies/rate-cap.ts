// A cap on how fast a client sends, retries included: attempts are spaced evenly. For whoever must not be a burden, whatever
// else the strategy does.

import type { Policy } from '../policy.ts';

export interface RateCapSettings {
  /** Attempts a second at most, above 0. */
  readonly perS: number;
}

export function rateCap({ perS }: RateCapSettings): Policy {
  const spacingMs = Math.ceil(1000 / perS);
  let nextMs = 0;
  let before = 0;
  return {
    name: 'rate_cap',
    admit(_operation, nowMs) {
      if (nowMs < nextMs) return { kind: 'retry', waitMs: nextMs - nowMs, because: 'rate_cap' };
      before = nextMs;
      nextMs = nowMs + spacingMs;
      return undefined;
    },
    withdraw() {
      nextMs = before;
    },
  };
}
