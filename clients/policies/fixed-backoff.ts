// The same wait before every repeat: the comparison that shows what growth and jitter are for. Source: the usual
// hand-written retry loop.

import type { Policy } from '../policy.ts';

export interface FixedBackoffSettings {
  readonly waitMs: number;
}

export function fixedBackoff({ waitMs }: FixedBackoffSettings): Policy {
  return {
    name: 'fixed_backoff',
    decide: () => ({ kind: 'retry', waitMs, because: 'backoff' }),
  };
}
