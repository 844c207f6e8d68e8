// Finagle's retry budget: each operation deposits a share of a retry, each retry withdraws a whole one, and both leave
// after a while; a reserve serves clients that ask seldom. Source: finagle-core service/RetryBudget.scala.

import type { AttemptResult, Decision, Operation, Policy, Retry, Stop } from '../policy.ts';

export interface FinagleBudgetSettings {
  /** Retries for each first attempt, a share: 0.2. Finagle's name. */
  readonly percentCanRetry: number;
  /** Retries a second that need no deposits: 10. */
  readonly minRetriesPerS: number;
  /** How long a deposit counts: 10,000. */
  readonly ttlMs: number;
}

const EXHAUSTED: Stop = { kind: 'stop', reason: 'retry_budget_exhausted', scope: 'operation' };

/** The ttl is cut into ten slices of time, as Finagle's window is, and one more is kept. */
const SLICES = 10;
const KEPT = SLICES + 1;
/** A deposit as an integer, so that shares add up exactly. */
const DEPOSIT = 1000;

/**
 * Time moves slices, not events: nothing survives an idle hour. A deposit leaves with its slice, up to a tenth of the ttl
 * early; a withdrawal stays for one slice more, so that no ttl holds more retries than its deposits and the reserve allow.
 * (Finagle drops both together, and lets up to twice the reserve into a ttl across a slice's edge.)
 */
export class FinagleBudget implements Policy {
  readonly name = 'finagle_budget';
  readonly #sliceMs: number;
  readonly #deposit: number;
  readonly #withdrawal: number;
  readonly #reserve: number;
  readonly #deposits = new Float64Array(KEPT);
  readonly #withdrawals = new Float64Array(KEPT);
  #slice = 0;

  constructor({ percentCanRetry, minRetriesPerS, ttlMs }: FinagleBudgetSettings) {
    this.#sliceMs = ttlMs / SLICES;
    this.#deposit = percentCanRetry === 0 ? 0 : DEPOSIT;
    this.#withdrawal = percentCanRetry === 0 ? 1 : Math.floor(DEPOSIT / percentCanRetry);
    this.#reserve = Math.floor((minRetriesPerS * ttlMs) / 1000) * this.#withdrawal;
  }

  /** Retries that could go at that time, at least 0. */
  balance(nowMs: number): number {
    this.#advance(nowMs);
    const oldest = (this.#slice + 1) % KEPT;
    let sum = this.#reserve;
    for (let slot = 0; slot < KEPT; slot++) {
      if (slot !== oldest) sum += (this.#deposits[slot] as number) * this.#deposit;
      sum -= (this.#withdrawals[slot] as number) * this.#withdrawal;
    }
    return Math.max(0, Math.floor(sum / this.#withdrawal));
  }

  admit({ attempts }: Operation, nowMs: number): undefined {
    this.#advance(nowMs);
    if (attempts === 0) this.#add(this.#deposits, 1);
  }

  withdraw({ attempts }: Operation): void {
    if (attempts === 0) this.#add(this.#deposits, -1);
  }

  decide({ receivedMs }: AttemptResult, proposal: Retry | undefined): Decision | undefined {
    if (proposal === undefined) return undefined;
    if (this.balance(receivedMs) < 1) return EXHAUSTED;
    this.#add(this.#withdrawals, 1);
    return proposal;
  }

  budgetLeft(_operation: Operation, nowMs: number): Readonly<Record<string, number>> {
    return { finagle_budget: this.balance(nowMs) };
  }

  #add(slots: Float64Array, count: number): void {
    const slot = this.#slice % KEPT;
    slots[slot] = (slots[slot] as number) + count;
  }

  #advance(nowMs: number): void {
    const slice = Math.floor(nowMs / this.#sliceMs);
    for (let next = Math.max(this.#slice + 1, slice - SLICES); next <= slice; next++) {
      this.#deposits[next % KEPT] = 0;
      this.#withdrawals[next % KEPT] = 0;
    }
    this.#slice = Math.max(this.#slice, slice);
  }
}
