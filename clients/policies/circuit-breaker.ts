// Circuit breaker on the failure rate of a sliding window of time. Closed lets everything go; open refuses until the
// cooldown is over; half-open lets a few probes go, and closes when all of them succeed.

import type { AttemptResult, Decision, Operation, Policy, ReplyClass } from '../policy.ts';
import { FailureWindow } from './failure-window.ts';

export interface CircuitBreakerSettings {
  /** Opens at this share of failures in the window, above 0 to 1. */
  readonly failureRate: number;
  readonly windowMs: number;
  /** Calls that the window must hold before the rate says anything. */
  readonly minCalls: number;
  readonly cooldownMs: number;
  /** Probes let through while half-open; all must succeed. */
  readonly probes: number;
  /** Whether a 429 is a failure; otherwise it is neutral, since it says that the server is well and we are too fast. */
  readonly limitsAreFailures: boolean;
  /** What an attempt does that is refused: wait for the cooldown, or end its operation. */
  readonly whenOpen: 'wait' | 'fail';
}

export type BreakerState = 'closed' | 'open' | 'half_open';

/** How soon to ask again while every probe is under way: about the time that a probe takes. */
const PROBE_RECHECK_MS = 250;

export class CircuitBreaker implements Policy {
  readonly name = 'circuit_breaker';
  readonly #settings: CircuitBreakerSettings;
  readonly #window: FailureWindow;
  readonly #probes = new Set<Operation>();
  #state: BreakerState = 'closed';
  #openedMs = 0;
  /** When it last closed: what was sent before says nothing about the platform since. */
  #closedMs = 0;
  #probesAdmitted = 0;
  #probesSucceeded = 0;
  /** How often it went from closed or half-open to open. */
  timesOpened = 0;

  constructor(settings: CircuitBreakerSettings) {
    this.#settings = settings;
    this.#window = new FailureWindow(settings.windowMs);
  }

  get state(): BreakerState {
    return this.#state;
  }

  admit(operation: Operation, nowMs: number): Decision | undefined {
    if (this.#state === 'closed') return undefined;
    if (this.#state === 'open') {
      const leftMs = this.#openedMs + this.#settings.cooldownMs - nowMs;
      if (leftMs > 0) return this.#refuse(leftMs);
      this.#state = 'half_open';
      this.#probesAdmitted = 0;
      this.#probesSucceeded = 0;
    }
    if (this.#probesAdmitted >= this.#settings.probes) return this.#refuse(PROBE_RECHECK_MS);
    this.#probesAdmitted++;
    this.#probes.add(operation);
    return undefined;
  }

  withdraw(operation: Operation): void {
    if (this.#probes.delete(operation)) this.#probesAdmitted--;
  }

  settle({ operation, sentMs, receivedMs, replyClass }: AttemptResult): void {
    const outcome = this.#outcome(replyClass);
    if (this.#state === 'closed') {
      if (outcome === 'neutral' || sentMs < this.#closedMs) return;
      this.#window.add(receivedMs, outcome === 'failure');
      if (this.#tripped(receivedMs)) this.#open(receivedMs);
      return;
    }
    // An attempt that was sent before the circuit opened says nothing about the platform now.
    if (!this.#probes.delete(operation)) return;
    if (outcome === 'failure') this.#open(receivedMs);
    else if (outcome === 'neutral') this.#probesAdmitted--;
    else if (++this.#probesSucceeded >= this.#settings.probes) this.#close(receivedMs);
  }

  #outcome(replyClass: ReplyClass): 'success' | 'failure' | 'neutral' {
    switch (replyClass) {
      case 'ok':
        return 'success';
      case 'error500':
      case 'error503':
      case 'no_reply':
        return 'failure';
      case 'limit429':
      case 'quota429':
        return this.#settings.limitsAreFailures ? 'failure' : 'neutral';
      case 'other':
        return 'neutral';
    }
  }

  #tripped(nowMs: number): boolean {
    const { calls, failures } = this.#window.counts(nowMs);
    return calls >= this.#settings.minCalls && failures / calls >= this.#settings.failureRate;
  }

  #open(nowMs: number): void {
    this.#state = 'open';
    this.#openedMs = nowMs;
    this.timesOpened++;
    this.#probes.clear();
  }

  #close(nowMs: number): void {
    this.#state = 'closed';
    this.#closedMs = nowMs;
    this.#probes.clear();
    this.#window.clear();
  }

  #refuse(waitMs: number): Decision {
    return this.#settings.whenOpen === 'wait'
      ? { kind: 'retry', waitMs, because: 'circuit_open' }
      : { kind: 'stop', reason: 'circuit_open', scope: 'operation' };
  }
}
