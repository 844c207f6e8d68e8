// A budget of time for the whole operation, from its first attempt. An attempt starts only if its full limit still fits, is
// decided anew on waking, and is given up at the deadline (seeds 000 and 002).

import type { Operation, Policy, Stop } from '../policy.ts';

export interface DeadlineSettings {
  /** From the sending of the first attempt to the end of the operation. */
  readonly budgetMs: number;
  /** Must be left of the budget when an attempt starts; 0 lets it start and cuts it off at the deadline. */
  readonly reserveMs: number;
  /** The longest that a single attempt may take; null for what is left of the budget. */
  readonly attemptMs: number | null;
}

const stop = (reason: Stop['reason']): Stop => ({ kind: 'stop', reason, scope: 'operation' });

export function deadline({ budgetMs, reserveMs, attemptMs }: DeadlineSettings): Policy {
  /** Before the first attempt all of it is left. */
  const endMs = (operation: Operation, nowMs: number) => (operation.firstSentMs ?? nowMs) + budgetMs;
  return {
    name: 'deadline',
    admit(operation, nowMs) {
      return nowMs + reserveMs > endMs(operation, nowMs) || nowMs >= endMs(operation, nowMs)
        ? stop('deadline')
        : undefined;
    },
    mayWait(operation, nowMs, waitMs) {
      if (operation.firstSentMs === undefined) return undefined;
      const wakesMs = nowMs + waitMs;
      return wakesMs + reserveMs > endMs(operation, nowMs) || wakesMs >= endMs(operation, nowMs)
        ? stop('deadline')
        : undefined;
    },
    decide({ operation, receivedMs }, proposal) {
      if (proposal === undefined) return undefined;
      const wakesMs = receivedMs + proposal.waitMs;
      const end = endMs(operation, receivedMs);
      if (wakesMs > end && proposal.because === 'retry_after') return stop('retry_after_exceeds_deadline');
      return wakesMs + reserveMs > end || wakesMs >= end ? stop('deadline') : proposal;
    },
    attemptLimitMs(operation, nowMs) {
      return Math.min(attemptMs ?? Number.POSITIVE_INFINITY, endMs(operation, nowMs) - nowMs);
    },
    budgetLeft(operation, nowMs) {
      return { deadline_ms: endMs(operation, nowMs) - nowMs };
    },
  };
}
