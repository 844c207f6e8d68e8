// The requests of a probe one by one, as the client saw them: each with its attempts, their latencies, and how it ended.
// Apart from the summary, which is a fold over them.

import type { AttemptResult, Decision, Operation } from '../../clients/policy.ts';
import type { TaskObserver } from '../../clients/task.ts';

export interface ProbedAttempt {
  readonly latencyMs: number;
  /** Undefined when no reply came. */
  readonly status: number | undefined;
}

export interface ProbedRequest {
  /** Its number, and its pass above 1 for a client that makes several. */
  readonly name: string;
  readonly attempts: readonly ProbedAttempt[];
  /** Why it ended; undefined when the task was stopped first. */
  readonly ended: string | undefined;
}

/** Status of the last attempt, in words where there is none. */
export function finalStatus({ attempts }: Pick<ProbedRequest, 'attempts'>): string {
  const last = attempts.at(-1);
  return last === undefined ? 'not sent' : String(last.status ?? 'no reply');
}

/** Orders names of requests: `2` before `2, pass 2`, and that before `10`. */
export const byNumber = (a: string, b: string): number => a.localeCompare(b, 'en', { numeric: true });

export class RequestList implements TaskObserver {
  readonly #requests = new Map<string, { name: string; attempts: ProbedAttempt[]; ended: string | undefined }>();

  attempt(_ordinal: number, { operation, sentMs, receivedMs, reply }: AttemptResult, decision: Decision): void {
    const request = this.#of(operation);
    request.attempts.push({ latencyMs: receivedMs - sentMs, status: reply?.status });
    if (decision.kind === 'stop') request.ended = decision.reason;
  }

  refused(operation: Operation, _nowMs: number, decision: Decision): void {
    const request = this.#of(operation);
    if (decision.kind === 'stop') request.ended = decision.reason;
  }

  /** In the order of their numbers. */
  requests(): readonly ProbedRequest[] {
    return [...this.#requests.values()].sort((a, b) => byNumber(a.name, b.name));
  }

  #of({ item, pass }: Operation) {
    const name = pass === 1 ? String(item) : `${item}, pass ${pass}`;
    const known = this.#requests.get(name);
    if (known !== undefined) return known;
    const request = { name, attempts: [], ended: undefined };
    this.#requests.set(name, request);
    return request;
  }
}
