// A budget of time for the whole operation, from its first attempt. An attempt starts only if its full limit still fits, is
// decided anew on waking, and is given up at the deadline (seeds 000 and 002); neither a wait nor a preparation is begun
// after which none could start.

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
  /** An attempt at the very end has no time left to hear of anything. */
  const lastMs = (operation: Operation, nowMs: number) => endMs(operation, nowMs) - Math.max(reserveMs, 1);
  return {
    name: 'deadline',
    admit(operation, nowMs) {
      return nowMs > lastMs(operation, nowMs) ? stop('deadline') : undefined;
    },
    mayWait(operation, nowMs, waitMs) {
      if (operation.firstSentMs === undefined) return undefined;
      return nowMs + waitMs > lastMs(operation, nowMs) ? stop('deadline') : undefined;
    },
    lastStartMs(operation) {
      return operation.firstSentMs === undefined ? undefined : lastMs(operation, operation.firstSentMs);
    },
    decide({ operation, receivedMs }, proposal) {
      if (proposal === undefined) return undefined;
      const wakesMs = receivedMs + proposal.waitMs;
      if (wakesMs > endMs(operation, receivedMs) && proposal.because === 'retry_after')
        return stop('retry_after_exceeds_deadline');
      return wakesMs > lastMs(operation, receivedMs) ? stop('deadline') : proposal;
    },
    attemptLimitMs(operation, nowMs) {
      return Math.min(attemptMs ?? Number.POSITIVE_INFINITY, endMs(operation, nowMs) - nowMs);
    },
    budgetLeft(operation, nowMs) {
      return { deadline_ms: endMs(operation, nowMs) - nowMs };
    },
  };
}
