// A task while it runs: its ports, its policies, its books, and the switch that stops all of it at once.

import { setMaxListeners } from 'node:events';
import type { EarlierLives, OpenItem } from './durable/earlier-lives.ts';
import { ItemSet } from './item-set.ts';
import { NotBefore } from './not-before.ts';
import type { AttemptResult, Decision, Operation, Policy } from './policy.ts';
import { PolicyChain } from './policy-chain.ts';
import type { Clock, Method, Reply, Transport } from './ports.ts';
import { ResponseCache } from './response-cache.ts';
import { DEFAULT_TOLD_WAIT, type ToldWaitSettings } from './retry-after/read-told-wait.ts';
import type { StopReason } from './stop-reasons.ts';
import type { Tally } from './tally.ts';
import { ToldReader } from './told-reader.ts';

/** What is left of each budget, by its name. */
export type BudgetLeft = Readonly<Record<string, number>>;

/** Sees what the client does: its half of the ledger, and its audit log. */
export interface TaskObserver {
  /** An attempt ended, and this was decided about it. */
  attempt(ordinal: number, result: AttemptResult, decision: Decision, budgetLeft: BudgetLeft): void;
  /** An attempt was about to be sent and was not let go. */
  refused(operation: Operation, nowMs: number, decision: Decision, budgetLeft: BudgetLeft): void;
  /** An attempt of an earlier life of the task, whose result nobody recorded, was taken for one without a reply. */
  interrupted?(result: AttemptResult, decision: Decision, budgetLeft: BudgetLeft): void;
}

/** Where calls are put on record before they are sent, for a task that must outlive its process. */
export interface CallJournal {
  /** Returns when the call is on record. When it throws, nothing is sent and the task fails. */
  reserve(operation: Operation): void;
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
  readonly method: Method;
  /** Whether each operation carries a key of its own, the same in all its attempts. */
  readonly idempotencyKeys: boolean;
  /** Names of the hosts that items are dealt out to; left out, the platform's own. */
  readonly hosts?: readonly string[] | undefined;
  /** How the client reads what a server says about waiting. */
  readonly toldWait: ToldWaitSettings;
  /** What a 429 is taken for that names no limit and tells no wait. */
  readonly unlabelledLimits: 'rate' | 'quota';
  /** Successes that are kept to answer repeats; 0 for none. */
  readonly cacheEntries: number;
}

/** A client that reads, and reads what it is told by the standards. */
export const READING = {
  method: 'GET',
  idempotencyKeys: false,
  toldWait: DEFAULT_TOLD_WAIT,
  unlabelledLimits: 'rate',
  cacheEntries: 0,
} as const;

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
  readonly told: ToldReader;
  readonly notBefore: NotBefore;
  readonly cache: ResponseCache<Reply> | undefined;
  /** Undefined for a task that ends with its process. */
  readonly journal: CallJournal | undefined;
  /** Items that an earlier life began and did not end; empty without one. */
  open: ReadonlyMap<number, OpenItem> = new Map();
  /** Whether a success is what was asked for; undefined accepts every one. */
  accepts: ((reply: Reply) => boolean) | undefined;
  readonly #controller = new AbortController();
  readonly #cancelling = new AbortController();
  #stopReason: StopReason | undefined;
  /** Requests sent, the number of the last one. */
  ordinal = 0;

  constructor(
    settings: TaskSettings,
    ports: { readonly clock: Clock; readonly transport: Transport; readonly journal?: CallJournal },
    policies: readonly Policy[],
    tally: Tally,
    observer?: TaskObserver,
  ) {
    this.settings = settings;
    this.done = new ItemSet(settings.items);
    this.abandoned = new ItemSet(settings.items);
    this.told = new ToldReader(settings.toldWait, ports.clock);
    this.cache = settings.cacheEntries === 0 ? undefined : new ResponseCache(settings.cacheEntries);
    this.notBefore = new NotBefore();
    this.clock = ports.clock;
    this.transport = ports.transport;
    this.journal = ports.journal;
    this.policies = new PolicyChain(policies, settings.prepMs);
    this.tally = tally;
    this.observer = observer;
    // Every lane that waits listens; their number is the scheduler's bound, not a leak.
    setMaxListeners(0, this.#controller.signal, this.#cancelling.signal);
  }

  /** Goes on where earlier lives of the task ended; before anything is sent. */
  takeUp({ calls, ended, open }: EarlierLives): void {
    this.ordinal = calls;
    for (const [item, reason] of ended) (reason === 'done' ? this.done : this.abandoned).add(item);
    this.open = open;
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

  /** The user leaves: as stop(), and attempts in flight that have a limit are given up. */
  cancel(): void {
    this.stop('cancelled');
    this.#cancelling.abort();
  }

  /** Aborts when the user cancels. */
  get cancelled(): AbortSignal {
    return this.#cancelling.signal;
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
