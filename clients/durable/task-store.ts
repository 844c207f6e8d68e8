// What a task keeps so that it outlives its process: every call before it is sent, what came of it, and how each item
// ended. A port: in memory here (memory-store.ts), in SQLite in the bench.

import type { ReplyClass } from '../policy.ts';
import type { StopReason } from '../stop-reasons.ts';

/** A call as it stands on record before it is sent. Times in ms of scenario time. */
export interface ReservedCall {
  /** Counts the calls of the task from 1, over all its lives. */
  readonly ordinal: number;
  readonly item: number;
  /** Number of the attempt, from 1, over all lives too. */
  readonly attempt: number;
  /** When work on the item began, and when its first attempt was sent. */
  readonly begunMs: number;
  readonly firstSentMs: number;
  readonly sentMs: number;
  readonly previousWaitMs: number;
}

/** What came of a call, and what was decided. */
export interface SettledCall {
  readonly receivedMs: number;
  /** HTTP status, or null when no reply came. */
  readonly status: number | null;
  readonly replyClass: ReplyClass;
  /** The wait that was decided on, or null when the operation ended. */
  readonly waitMs: number | null;
  /** Name of the wait, or the reason of the end. */
  readonly because: string;
  readonly inDoubt: boolean;
}

export interface CallRecord extends ReservedCall {
  /** Which life of the task it belongs to, from 1: a process each. */
  readonly life: number;
  /** Undefined for a call that was reserved and whose result nobody recorded. */
  readonly settled: SettledCall | undefined;
}

export interface EndedItem {
  readonly item: number;
  readonly reason: StopReason;
}

/** Each method is one transaction: it has happened whole when it returns, and not at all when it throws. */
export interface TaskStore {
  /** @throws when the ordinal is not the next one, or the item has ended */
  reserve(call: ReservedCall): void;
  /** @param ended the item, when this was its last call */
  settle(ordinal: number, result: SettledCall, ended: EndedItem | undefined): void;
  /** An item that ended without a call. */
  end(ended: EndedItem): void;
  /** All calls, by ordinal. */
  calls(): Iterable<CallRecord>;
  endedItems(): Iterable<EndedItem>;
}
