// Circuit breaker on the failure rate of a sliding window of time. Closed lets everything go; open refuses until the
// cooldown is over; half-open lets a few probes go, and closes when all of them succeed.

import type { AttemptResult, Decision, Operation, Policy } from '../policy.ts';
import { BreakerGate, type BreakerGateSettings, type BreakerState, outcomeOf } from './breaker-gate.ts';
import { FailureWindow } from './failure-window.ts';

export interface CircuitBreakerSettings extends BreakerGateSettings {
  /** Opens at this share of failures in the window, above 0 to 1. */
  readonly failureRate: number;
  readonly windowMs: number;
  /** Calls that the window must hold before the rate says anything. */
  readonly minCalls: number;
  /** Whether a 429 is a failure; otherwise it is neutral, since it says that the server is well and we are too fast. */
  readonly limitsAreFailures: boolean;
}

export class CircuitBreaker implements Policy {
  readonly name = 'circuit_breaker';
  readonly #settings: CircuitBreakerSettings;
  readonly #window: FailureWindow;
  readonly #gate: BreakerGate;

  constructor(settings: CircuitBreakerSettings) {
    this.#settings = settings;
    this.#window = new FailureWindow(settings.windowMs);
    this.#gate = new BreakerGate(settings);
  }

  get state(): BreakerState {
    return this.#gate.state;
  }

  /** How often it went from closed or half-open to open. */
  get timesOpened(): number {
    return this.#gate.timesOpened;
  }

  admit(operation: Operation, nowMs: number): Decision | undefined {
    return this.#gate.admit(operation, nowMs);
  }

  withdraw(operation: Operation): void {
    this.#gate.withdraw(operation);
  }

  settle(result: AttemptResult): void {
    const outcome = outcomeOf(result, this.#settings.limitsAreFailures);
    if (!this.#gate.settle(result, outcome) || outcome === 'neutral') return;
    this.#window.add(result.receivedMs, outcome === 'failure');
    const { calls, failures } = this.#window.counts(result.receivedMs);
    if (calls < this.#settings.minCalls || failures / calls < this.#settings.failureRate) return;
    // When it closes again, it begins with an empty window.
    this.#window.clear();
    this.#gate.open(result.receivedMs);
  }
}
