// Envoy's retry budget: of the operations under way at most a share may be retries, but a few always may. Source: Envoy
// upstream/resource_manager_impl.h (RetryBudgetImpl) and router/retry_state_impl.cc.

import type { AttemptResult, Decision, Operation, Policy, Retry, Stop } from '../policy.ts';

export interface EnvoyBudgetSettings {
  /** Of the active operations; 20. */
  readonly budgetPercent: number;
  /** Retries at a time that are always allowed; 3. */
  readonly minRetryConcurrency: number;
}

const EXHAUSTED: Stop = { kind: 'stop', reason: 'retry_budget_exhausted', scope: 'operation' };

/**
 * An operation is active from its first admission to its end, while it waits too. A retry holds its place from the decision
 * until that attempt has come back, or its operation has ended without it; a wait that a later policy adds does not free
 * it. Stands after the policies that propose: a retry that it is not asked about holds no place.
 */
export class EnvoyBudget implements Policy {
  readonly name = 'envoy_budget';
  readonly #settings: EnvoyBudgetSettings;
  readonly #active = new Set<Operation>();
  readonly #retries = new Set<Operation>();

  constructor(settings: EnvoyBudgetSettings) {
    this.#settings = settings;
  }

  get active(): number {
    return this.#active.size;
  }

  get retries(): number {
    return this.#retries.size;
  }

  /** Retries allowed now. Retries under way may be more for a while, when other operations have ended since. */
  get limit(): number {
    const { budgetPercent, minRetryConcurrency } = this.#settings;
    return Math.max(Math.floor((budgetPercent * this.#active.size) / 100), minRetryConcurrency);
  }

  admit(operation: Operation): undefined {
    this.#active.add(operation);
  }

  /** A first attempt that is not sent is nothing under way yet. */
  withdraw(operation: Operation): void {
    if (operation.attempts === 0) this.#active.delete(operation);
  }

  settle({ operation }: AttemptResult): void {
    this.#retries.delete(operation);
  }

  decide({ operation }: AttemptResult, proposal: Retry | undefined): Decision | undefined {
    if (proposal === undefined) return undefined;
    if (this.#retries.size >= this.limit) return EXHAUSTED;
    this.#retries.add(operation);
    return proposal;
  }

  ended(operation: Operation): void {
    this.#active.delete(operation);
    this.#retries.delete(operation);
  }

  budgetLeft(): Readonly<Record<string, number>> {
    return { envoy_budget: Math.max(0, this.limit - this.retries) };
  }
}
