// The audit log of a client, one JSON line an attempt, in the fields of the published night (seed 001): t, task, id,
// attempt, status, wait_ms or wait_s, event. An attempt that was refused before it was sent has a line too.

import type { AttemptResult, Decision, Operation } from '../../clients/policy.ts';
import type { TaskObserver } from '../../clients/task.ts';

/** One entry; `t` in ms since the client started. A wait that the server asked for is told in s, any other in ms. */
export interface AuditEntry {
  readonly t: number;
  readonly task: string;
  readonly id: number;
  readonly attempt: number;
  /** HTTP status; 0 when no reply came, null when nothing was sent. */
  readonly status: number | null;
  readonly wait_s?: number;
  readonly wait_ms?: number;
  readonly event: string;
  /** Of an attempt whose result was never recorded, because the process died. */
  readonly interrupted?: true;
}

/** A file of lines: one that is written in blocks, or one that outlives its process. */
export interface AuditLines {
  add(entry: AuditEntry): void;
  close(): void;
}

function entry(
  task: string,
  t: number,
  id: number,
  attempt: number,
  status: number | null,
  decision: Decision,
): AuditEntry {
  const head = { t, task, id, attempt, status };
  if (decision.kind === 'stop') return { ...head, event: decision.reason === 'done' ? 'ok' : decision.reason };
  const { waitMs, because } = decision;
  const wait = because.startsWith('retry_after') ? { wait_s: waitMs / 1000 } : { wait_ms: waitMs };
  return { ...head, ...wait, event: because };
}

export class AuditLog implements TaskObserver {
  readonly #lines: AuditLines;
  readonly #task: string;
  readonly #startedMs: number;

  /** @param startedMs scenario time at which the client starts */
  constructor(lines: AuditLines, task: string, startedMs: number) {
    this.#lines = lines;
    this.#task = task;
    this.#startedMs = startedMs;
  }

  attempt(_ordinal: number, { operation, attempt, receivedMs, reply }: AttemptResult, decision: Decision): void {
    this.#lines.add(
      entry(this.#task, receivedMs - this.#startedMs, operation.item, attempt, reply?.status ?? 0, decision),
    );
  }

  /** Nothing was sent: the entry carries the number that the attempt would have had, and no status. */
  refused(operation: Operation, nowMs: number, decision: Decision): void {
    this.#lines.add(entry(this.#task, nowMs - this.#startedMs, operation.item, operation.attempts + 1, null, decision));
  }

  interrupted({ operation, attempt, receivedMs }: AttemptResult, decision: Decision): void {
    const t = receivedMs - this.#startedMs;
    this.#lines.add({ ...entry(this.#task, t, operation.item, attempt, 0, decision), interrupted: true });
  }

  close(): void {
    this.#lines.close();
  }
}
