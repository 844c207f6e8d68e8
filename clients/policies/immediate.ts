// Tries again at once, whatever came back. The storm's first amplifier (seed 001).

import type { Policy, Retry } from '../policy.ts';

const AGAIN: Retry = { kind: 'retry', waitMs: 0, because: 'immediate' };

export function immediate(): Policy {
  return { name: 'immediate', decide: () => AGAIN };
}
