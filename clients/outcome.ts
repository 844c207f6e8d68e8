// How an operation ended for whoever asked for it: a confirmed success, a confirmed failure, or not known (seed 002). A
// write whose reply was lost, or that broke inside the server, may have taken effect all the same.

import { isRepeatable, isSafe } from './methods.ts';
import type { Operation, ReplyClass, Stop } from './policy.ts';
import type { Reply } from './ports.ts';

export const OUTCOMES = ['success', 'failure', 'unknown', 'not_sent'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export function outcomeOf({ last, inDoubt }: Pick<Operation, 'last' | 'inDoubt'>, stop: Stop): Outcome {
  if (stop.reason === 'done') return 'success';
  if (last === undefined) return 'not_sent';
  return inDoubt || stop.reason === 'outcome_unknown' ? 'unknown' : 'failure';
}

/** Whether the server may have acted on an attempt that came back so: it was sent, and no reply says that it was refused. */
export function mayHaveActed(replyClass: ReplyClass, reply: Reply | undefined): boolean {
  return replyClass === 'no_reply' || (reply !== undefined && reply.status >= 500);
}

/** Whether after this attempt, and those before it, it is not known what the operation has done. */
export function leavesDoubt(
  operation: Pick<Operation, 'method' | 'idempotencyKey' | 'inDoubt'>,
  replyClass: ReplyClass,
  reply: Reply | undefined,
): boolean {
  if (replyClass === 'no_reply') return true;
  if (isSafe(operation)) return false;
  // No later reply tells what a write did that is done anew by each attempt.
  if (!isRepeatable(operation)) return operation.inDoubt || mayHaveActed(replyClass, reply);
  // The answer to a repeat is the answer to all; a refusal, or a request that never arrived, answers for itself alone.
  return (
    operation.inDoubt && (replyClass === 'limit429' || replyClass === 'quota429' || replyClass === 'never_arrived')
  );
}
