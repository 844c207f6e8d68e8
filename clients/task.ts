// A task while it runs: its ports, its policies, its books, and the switch that stops all of it at once.

import { setMaxListeners } from 'node:events';
import { ItemSet } from './item-set.ts';
import type { AttemptResult, Decision, Operation, Policy } from './policy.ts';
import { PolicyChain } from './policy-chain.ts';
import type { Clock, Transport } from './ports.ts';
import type { StopReason } from './stop-reasons.ts';
import type { Tally } from './tally.ts';

/** Sees what the client does: its half of the ledger, and its audit log. */
export interface TaskObserver {
  /** An attempt ended, and this was decided about it. */
  attempt(ordinal: number, result: AttemptResult, decision: Decision): void;
  /** An attempt was about to be sent and was not let go. */
  refused(operation: Operation, nowMs: number, decision: Decision): void;
}

/** A line of progress, as the naive client of the published night prints it after each batch. */
export interface Progress {
  readonly batch: number;
  readonly passes: number;
  readonly complete: boolean;
  readonly attempts: number;
  readonly ok: number;
  readonly limit429: number;
  readonly quota429: number;
  readonly error500: number;
}

export interface TaskSettings {
  readonly client: string;
  readonly items: number;
  /** Time to prepare a request, waited before every attempt. */
  readonly prepMs: number;
}

export class Task {
  readonly settings: TaskSettings;
  readonly clock: Clock;
  readonly transport: Transport;
  readonly policies: PolicyChain;
  readonly tally: Tally;
  readonly observer: TaskObserver | undefined;
  readonly progress: Progress[] = [];
  readonly done: ItemSet;
  readonly abandoned: ItemSet;
  readonly #controller = new AbortController();
  #stopReason: StopReason | undefined;
  /** Requests sent, the number of the last one. */
  ordinal = 0;

  constructor(
    settings: TaskSettings,
    ports: { readonly clock: Clock; readonly transport: Transport },
    policies: readonly Policy[],
    tally: Tally,
    observer?: TaskObserver,
  ) {
    this.settings = settings;
    this.done = new ItemSet(settings.items);
    this.abandoned = new ItemSet(settings.items);
    this.clock = ports.clock;
    this.transport = ports.transport;
    this.policies = new PolicyChain(policies);
    this.tally = tally;
    this.observer = observer;
    // Every lane that waits listens; their number is the scheduler's bound, not a leak.
    setMaxListeners(0, this.#controller.signal);
  }

  /** Why the whole task was stopped, or undefined while it may go on. */
  get stopReason(): StopReason | undefined {
    return this.#stopReason;
  }

  /** Sends nothing any more and wakes every wait. The first reason stays. */
  stop(reason: StopReason): void {
    if (this.#stopReason !== undefined) return;
    this.#stopReason = reason;
    this.#controller.abort();
  }

  /** A wait of the scheduler's own, not of an operation; ends early when the task is stopped. */
  pause(ms: number): Promise<void> {
    return this.clock.sleep(ms, this.#controller.signal);
  }

  /** Waits between attempts; ends early when the task is stopped. */
  async wait(waitMs: number, because: string): Promise<void> {
    this.tally.waited(because, waitMs);
    await this.clock.sleep(waitMs, this.#controller.signal);
  }
}
