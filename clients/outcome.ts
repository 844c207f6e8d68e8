// How an operation ended for whoever asked for it: a confirmed success, a confirmed failure, or not known (seed 002). A
// write whose reply was lost, or that broke inside the server, may have taken effect all the same.

import { isRepeatable } from './methods.ts';
import type { Operation, ReplyClass, Stop } from './policy.ts';

export const OUTCOMES = ['success', 'failure', 'unknown', 'not_sent'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** @param last what the last attempt came back as; undefined when none was sent */
export function outcomeOf(
  operation: Pick<Operation, 'method' | 'idempotencyKey' | 'lastStatus'>,
  stop: Stop,
  last: ReplyClass | undefined,
): Outcome {
  if (stop.reason === 'done') return 'success';
  if (last === undefined) return 'not_sent';
  if (last === 'no_reply' || stop.reason === 'outcome_unknown') return 'unknown';
  // Not by class: a 502 and a 504 have none of their own.
  const brokeInside = (operation.lastStatus ?? 0) >= 500;
  return brokeInside && !isRepeatable(operation) ? 'unknown' : 'failure';
}
