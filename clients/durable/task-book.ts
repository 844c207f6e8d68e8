// From what a task does to what its store keeps: the client's half of reserve before send.

import type { AttemptResult, Decision, Operation } from '../policy.ts';
import type { CallJournal, TaskObserver } from '../task.ts';
import type { EndedItem, TaskStore } from './task-store.ts';

export class TaskBook implements CallJournal, TaskObserver {
  readonly #store: TaskStore;

  constructor(store: TaskStore) {
    this.#store = store;
  }

  reserve(operation: Operation): void {
    const { ordinal, item, attempts, startedMs, firstSentMs, sentMs, previousWaitMs } = operation;
    this.#store.reserve({
      ordinal,
      item,
      attempt: attempts,
      begunMs: startedMs,
      firstSentMs: firstSentMs ?? sentMs,
      sentMs,
      previousWaitMs,
    });
  }

  attempt(ordinal: number, { operation, receivedMs, reply, replyClass }: AttemptResult, decision: Decision): void {
    const [waitMs, because] = decision.kind === 'retry' ? [decision.waitMs, decision.because] : [null, decision.reason];
    const { inDoubt } = operation;
    const result = { receivedMs, status: reply?.status ?? null, replyClass, waitMs, because, inDoubt };
    this.#store.settle(ordinal, result, endedItem(operation, decision));
  }

  refused(operation: Operation, _nowMs: number, decision: Decision): void {
    const ended = endedItem(operation, decision);
    if (ended !== undefined) this.#store.end(ended);
  }

  /** The call stays without a result; whether the item goes on without it is known only now. */
  interrupted({ operation }: AttemptResult, decision: Decision): void {
    const ended = endedItem(operation, decision);
    if (ended !== undefined) this.#store.end(ended);
  }
}

/** A task that stops as a whole leaves its items open: another life may finish them. */
function endedItem({ item }: Operation, decision: Decision): EndedItem | undefined {
  return decision.kind === 'stop' && decision.scope === 'operation' ? { item, reason: decision.reason } : undefined;
}
