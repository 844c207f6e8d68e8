// Circuit breaker on consecutive failures (seed 003: five, cooldown 30 s, one probe). It trips sooner than a rate when all
// fails, and never while now and then one succeeds. A 4xx is neutral: it neither counts nor ends the row (case A32).

import type { AttemptResult, Decision, Operation, Policy } from '../policy.ts';
import { BreakerGate, type BreakerGateSettings, type BreakerState, outcomeOf } from './breaker-gate.ts';

export interface ConsecutiveBreakerSettings extends BreakerGateSettings {
  /** Opens at this many failures in a row, in the order in which the results come in. */
  readonly threshold: number;
  /** Whether a 429 is a failure; otherwise it is neutral, since it says that the server is well and we are too fast. */
  readonly limitsAreFailures: boolean;
}

export class ConsecutiveBreaker implements Policy {
  readonly name = 'consecutive_breaker';
  readonly #settings: ConsecutiveBreakerSettings;
  readonly #gate: BreakerGate;
  /** Failures since the last success, or since it closed. */
  #failures = 0;

  constructor(settings: ConsecutiveBreakerSettings) {
    this.#settings = settings;
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
    this.#failures = outcome === 'failure' ? this.#failures + 1 : 0;
    if (this.#failures < this.#settings.threshold) return;
    this.#failures = 0;
    this.#gate.open(result.receivedMs);
  }
}
