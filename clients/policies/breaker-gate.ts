// What circuit breakers have in common, whatever makes them trip: closed lets all go, open refuses until the cooldown is
// over, half-open lets a few probes go and closes when all of them succeed. Source: seed 003, with its half-open bounded.

import type { AttemptResult, Decision, Operation } from '../policy.ts';

export type BreakerState = 'closed' | 'open' | 'half_open';

export interface BreakerGateSettings {
  readonly cooldownMs: number;
  /** Probes let through while half-open; all must succeed. */
  readonly probes: number;
  /** What an attempt does that is refused: wait for the cooldown, or end its operation. */
  readonly whenOpen: 'wait' | 'fail';
}

export type Outcome = 'success' | 'failure' | 'neutral';

/**
 * A 502 or a 504 has no class of its own, and is a failure of the server all the same.
 * @param limitsAreFailures whether a 429 is a failure; otherwise it is neutral, as a refusal of ours (4xx) always is
 */
export function outcomeOf(
  { replyClass, reply }: Pick<AttemptResult, 'replyClass' | 'reply'>,
  limitsAreFailures: boolean,
): Outcome {
  switch (replyClass) {
    case 'ok':
      return 'success';
    case 'error500':
    case 'error503':
    case 'no_reply':
    case 'never_arrived':
      return 'failure';
    case 'limit429':
    case 'quota429':
      return limitsAreFailures ? 'failure' : 'neutral';
    case 'other':
      return reply !== undefined && reply.status >= 500 ? 'failure' : 'neutral';
  }
}

/** How soon to ask again while every probe is under way: about the time that a probe takes. */
const PROBE_RECHECK_MS = 250;

export class BreakerGate {
  readonly #settings: BreakerGateSettings;
  /** Probes of this half-open time that are under way; with those that succeeded never more than the settings say. */
  readonly #probes = new Set<Operation>();
  #succeeded = 0;
  #state: BreakerState = 'closed';
  #openedMs = 0;
  #closedMs = 0;
  /** How often it went from closed or half-open to open. */
  timesOpened = 0;

  constructor(settings: BreakerGateSettings) {
    this.#settings = settings;
  }

  get state(): BreakerState {
    return this.#state;
  }

  admit(operation: Operation, nowMs: number): Decision | undefined {
    if (this.#state === 'closed') return undefined;
    const { cooldownMs, probes } = this.#settings;
    if (this.#state === 'open') {
      const leftMs = this.#openedMs + cooldownMs - nowMs;
      if (leftMs > 0) return this.#refuse(leftMs);
      this.#state = 'half_open';
      this.#succeeded = 0;
    }
    if (this.#probes.size + this.#succeeded >= probes) return this.#refuse(PROBE_RECHECK_MS);
    this.#probes.add(operation);
    return undefined;
  }

  /** Frees the slot of a probe that is not sent. */
  withdraw(operation: Operation): void {
    this.#probes.delete(operation);
  }

  /**
   * Books a result: what a probe says when it is one; any probe's slot is free afterwards.
   * @returns whether the result speaks of the present closed time, so that the breaker is to count it
   */
  settle({ operation, sentMs, receivedMs }: AttemptResult, outcome: Outcome): boolean {
    // What was sent before it closed says nothing about the platform since.
    if (this.#state === 'closed') return sentMs >= this.#closedMs;
    // Nor does what was sent before it opened, or by the probes of a half-open time before.
    if (!this.#probes.delete(operation)) return false;
    if (outcome === 'failure') this.open(receivedMs);
    else if (outcome === 'success' && ++this.#succeeded >= this.#settings.probes) {
      this.#state = 'closed';
      this.#closedMs = receivedMs;
    }
    return false;
  }

  open(nowMs: number): void {
    this.#state = 'open';
    this.#openedMs = nowMs;
    this.timesOpened++;
    this.#probes.clear();
  }

  #refuse(waitMs: number): Decision {
    return this.#settings.whenOpen === 'wait'
      ? { kind: 'retry', waitMs, because: 'circuit_open' }
      : { kind: 'stop', reason: 'circuit_open', scope: 'operation' };
  }
}
