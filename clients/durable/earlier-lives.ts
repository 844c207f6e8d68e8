// How far the earlier lives of a task came, read off its store: what is done, what was under way, how many calls are spent.

import type { ReplyClass } from '../policy.ts';
import type { StopReason } from '../stop-reasons.ts';
import type { CallRecord, TaskStore } from './task-store.ts';

/** An item that was begun and has not ended. */
export interface OpenItem {
  readonly attempts: number;
  readonly ordinal: number;
  readonly begunMs: number;
  readonly firstSentMs: number;
  readonly sentMs: number;
  readonly previousWaitMs: number;
  /** What the last attempt came back as; undefined when its result was never recorded. */
  readonly last: ReplyClass | undefined;
  readonly inDoubt: boolean;
  /** When the next attempt is due, and why then; undefined after an attempt whose result was never recorded. */
  readonly due: { readonly atMs: number; readonly because: string } | undefined;
}

export interface EarlierLives {
  /** Calls reserved, which is also the ordinal of the last one. */
  readonly calls: number;
  /** The latest moment on record, in scenario time; time stands still while nobody runs the task. */
  readonly untilMs: number;
  readonly ended: ReadonlyMap<number, StopReason>;
  readonly open: ReadonlyMap<number, OpenItem>;
}

export function earlierLives(store: TaskStore): EarlierLives {
  const ended = new Map([...store.endedItems()].map(({ item, reason }) => [item, reason]));
  const open = new Map<number, OpenItem>();
  let calls = 0;
  let untilMs = 0;
  for (const call of store.calls()) {
    calls++;
    untilMs = Math.max(untilMs, call.sentMs, call.settled?.receivedMs ?? 0);
    if (!ended.has(call.item)) open.set(call.item, openItem(call));
  }
  return { calls, untilMs, ended, open };
}

/** An item as its last call leaves it. */
function openItem({ attempt, settled, ...call }: CallRecord): OpenItem {
  const { ordinal, begunMs, firstSentMs, sentMs, previousWaitMs } = call;
  const asSent = { attempts: attempt, ordinal, begunMs, firstSentMs, sentMs };
  if (settled === undefined) return { ...asSent, previousWaitMs, last: undefined, inDoubt: true, due: undefined };
  const { receivedMs, replyClass, waitMs, because, inDoubt } = settled;
  // No wait was decided on when the whole task stopped with this call: then it may go at once.
  const due = { atMs: receivedMs + (waitMs ?? 0), because };
  return { ...asSent, previousWaitMs: waitMs ?? 0, last: replyClass, inDoubt, due };
}
