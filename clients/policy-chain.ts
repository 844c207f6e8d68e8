// Policies put together: who is asked for admission, who is told of results, who decides, each in the strategy's order.

import type { AttemptResult, Decision, Operation, Policy, Retry, Stop } from './policy.ts';

export class PolicyChain {
  readonly #admitting: readonly Policy[];
  readonly #settling: readonly Policy[];
  readonly #deciding: readonly Policy[];
  readonly #waiting: readonly Policy[];
  readonly #limiting: readonly Policy[];
  readonly #ending: readonly Policy[];
  readonly #budgets: readonly Policy[];
  readonly #prepMs: number;

  /** @param prepMs the preparation that follows every wait, and must fit as the wait must */
  constructor(policies: readonly Policy[], prepMs = 0) {
    this.#prepMs = prepMs;
    this.#admitting = policies.filter((policy) => policy.admit !== undefined);
    this.#settling = policies.filter((policy) => policy.settle !== undefined);
    this.#deciding = policies.filter((policy) => policy.decide !== undefined);
    this.#waiting = policies.filter((policy) => policy.mayWait !== undefined);
    this.#limiting = policies.filter((policy) => policy.attemptLimitMs !== undefined);
    this.#ending = policies.filter((policy) => policy.ended !== undefined);
    this.#budgets = policies.filter((policy) => policy.budgetLeft !== undefined);
  }

  /** Whether anybody wants to know of attempts that succeeded. */
  get settles(): boolean {
    return this.#settling.length > 0;
  }

  /** Whether anybody limits the time of an attempt. */
  get limits(): boolean {
    return this.#limiting.length > 0;
  }

  /** The shortest limit that a policy sets. */
  attemptLimitMs(operation: Operation, nowMs: number): number | undefined {
    const limits = this.#limiting.flatMap((policy) => policy.attemptLimitMs?.(operation, nowMs) ?? []);
    return limits.length === 0 ? undefined : Math.max(0, Math.min(...limits));
  }

  ended(operation: Operation): void {
    for (const policy of this.#ending) policy.ended?.(operation);
  }

  budgetLeft(operation: Operation, nowMs: number): Readonly<Record<string, number>> {
    return Object.assign({}, ...this.#budgets.map((policy) => policy.budgetLeft?.(operation, nowMs)));
  }

  /** Undefined lets the attempt go. A refusal is withdrawn from the policies that had admitted it before. */
  admit(operation: Operation, nowMs: number): Decision | undefined {
    for (let index = 0; index < this.#admitting.length; index++) {
      const refusal = this.#admitting[index]?.admit?.(operation, nowMs);
      if (refusal === undefined) continue;
      for (let earlier = index - 1; earlier >= 0; earlier--) this.#admitting[earlier]?.withdraw?.(operation);
      return refusal.kind === 'retry' ? this.#bounded(operation, nowMs, refusal) : refusal;
    }
    return undefined;
  }

  /** Undefined when another attempt, prepared from now on, may still start. */
  mayPrepare(operation: Operation, nowMs: number): Stop | undefined {
    return this.#mayWait(operation, nowMs, this.#prepMs);
  }

  /** How long the operation may queue before its preparation, below 0 when it is too late; undefined for ever. */
  patienceMs(operation: Operation, nowMs: number): number | undefined {
    const lastMs = this.#waiting.flatMap((policy) => policy.lastStartMs?.(operation) ?? []);
    return lastMs.length === 0 ? undefined : Math.min(...lastMs) - this.#prepMs - nowMs;
  }

  #bounded(operation: Operation, nowMs: number, retry: Retry): Decision {
    return this.#mayWait(operation, nowMs, retry.waitMs + this.#prepMs) ?? retry;
  }

  #mayWait(operation: Operation, nowMs: number, waitMs: number): Stop | undefined {
    for (const policy of this.#waiting) {
      const stop = policy.mayWait?.(operation, nowMs, waitMs);
      if (stop !== undefined) return stop;
    }
    return undefined;
  }

  settle(result: AttemptResult): void {
    for (const policy of this.#settling) policy.settle?.(result);
  }

  /**
   * The last proposal, the first stop, or, when nobody proposed anything, a stop: silence never means "again". Nor does a
   * proposal after which no attempt may start.
   */
  decide(result: AttemptResult): Decision {
    let proposal: Retry | undefined;
    for (const policy of this.#deciding) {
      const decision = policy.decide?.(result, proposal);
      if (decision?.kind === 'stop') return decision;
      if (decision !== undefined) proposal = decision;
    }
    if (proposal === undefined) return { kind: 'stop', reason: 'attempts_exhausted', scope: 'operation' };
    return this.#bounded(result.operation, result.receivedMs, proposal);
  }
}
