// At most so many attempts an operation, the first included. Asked before the backoff, so no wait follows the last failure.

import type { Policy, Stop } from '../policy.ts';

const EXHAUSTED: Stop = { kind: 'stop', reason: 'attempts_exhausted', scope: 'operation' };

export function attemptCap(maxAttempts: number): Policy {
  return {
    name: 'attempt_cap',
    decide: ({ attempt }, proposal) => (attempt >= maxAttempts ? EXHAUSTED : proposal),
  };
}
