// The decision log of a client, one JSON line a decision: what was known when it was taken, and why (seed 002). It never
// holds a credential, an authorization header or a body, because it is made of named fields and none of them is one.

import type { AttemptResult, Decision, Operation } from '../../clients/policy.ts';
import type { ToldWait } from '../../clients/retry-after/told-wait.ts';
import type { BudgetLeft, TaskObserver } from '../../clients/task.ts';
import { JsonLines } from './json-lines.ts';

export interface DecisionEntry {
  /** ms since the client started. */
  readonly t: number;
  readonly task: string;
  readonly id: number;
  readonly method: string;
  /** Of the attempt that ended, or of the one that was not let go. */
  readonly attempt: number;
  /** 0 when no reply came, null when nothing was sent. */
  readonly status: number | null;
  /** What the server said about waiting, as it was understood; null when nothing was sent. */
  readonly told: { readonly kind: ToldWait['kind']; readonly wait_ms?: number; readonly reason?: string } | null;
  readonly budget_left: BudgetLeft;
  readonly decision: 'done' | 'retry' | 'stop';
  readonly wait_ms: number | null;
  readonly reason: string;
}

export class DecisionLog implements TaskObserver {
  readonly #lines: JsonLines;
  readonly #task: string;
  readonly #startedMs: number;

  constructor(path: string, task: string, startedMs: number) {
    this.#lines = new JsonLines(path);
    this.#task = task;
    this.#startedMs = startedMs;
  }

  attempt(_ordinal: number, result: AttemptResult, decision: Decision, left: BudgetLeft): void {
    const { operation, attempt, receivedMs, reply, told } = result;
    this.#add(operation, receivedMs, attempt, reply?.status ?? 0, understood(told), left, decision);
  }

  refused(operation: Operation, nowMs: number, decision: Decision, left: BudgetLeft): void {
    this.#add(operation, nowMs, operation.attempts + 1, null, null, left, decision);
  }

  close(): void {
    this.#lines.close();
  }

  #add(
    { item, method }: Operation,
    nowMs: number,
    attempt: number,
    status: number | null,
    told: DecisionEntry['told'],
    budget_left: BudgetLeft,
    decision: Decision,
  ): void {
    const head = { t: nowMs - this.#startedMs, task: this.#task, id: item, method, attempt, status, told, budget_left };
    this.#lines.add({ ...head, ...outcome(decision) } satisfies DecisionEntry);
  }
}

function outcome(decision: Decision): Pick<DecisionEntry, 'decision' | 'wait_ms' | 'reason'> {
  if (decision.kind === 'retry') return { decision: 'retry', wait_ms: decision.waitMs, reason: decision.because };
  return { decision: decision.reason === 'done' ? 'done' : 'stop', wait_ms: null, reason: decision.reason };
}

function understood(told: ToldWait): DecisionEntry['told'] {
  if ('waitMs' in told) return { kind: told.kind, wait_ms: told.waitMs };
  return told.kind === 'invalid' ? { kind: told.kind, reason: told.reason } : { kind: told.kind };
}
