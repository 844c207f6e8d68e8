// The client's own book, kept apart from the platform's: what it sent and what it got, by minute of sending, and what it
// waited for. Nothing here is copied from the platform; the ledger of the bench compares the two.

import type { Outcome } from './outcome.ts';
import { REPLY_CLASSES, type ReplyClass } from './policy.ts';

const MINUTE_MS = 60_000;
const ATTEMPTS = 0;
const WIDTH = REPLY_CLASSES.length + 1;
const COLUMN = Object.fromEntries(REPLY_CLASSES.map((name, index) => [name, index + 1])) as Record<ReplyClass, number>;

/** One minute of the client's book; `attempts` were sent in this minute, the classes are what they came back as. */
export type ClientMinuteRow = Readonly<Record<ReplyClass | 'minute' | 'attempts', number>>;

export type Counts = Readonly<Record<ReplyClass, number>>;

export class Tally {
  /** A row a minute: attempts sent, then a column a class. */
  #cells = new Uint32Array(WIDTH * 32);
  #minutes = 0;
  readonly #totals = new Uint32Array(WIDTH);
  /** Waits that were begun, by reason, and their planned length in ms. */
  readonly waits = new Map<string, { count: number; plannedMs: number }>();
  /** Operations begun, and how those that ended did. */
  operations = 0;
  readonly outcomes: Record<Outcome, number> = { success: 0, failure: 0, unknown: 0, not_sent: 0 };
  /** Attempts sent before the time that the server had told. */
  earlyRetries = 0;
  /** Of the 429s, those that named no limit and told no wait: which kind they were is the client's reading, not known. */
  unlabelledLimits = 0;

  sent(nowMs: number): void {
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute >= this.#minutes) this.#grow(minute + 1);
    this.#add(minute, ATTEMPTS);
  }

  received(sentMs: number, replyClass: ReplyClass): void {
    this.#add(Math.floor(sentMs / MINUTE_MS), COLUMN[replyClass]);
  }

  waited(because: string, plannedMs: number): void {
    const entry = this.waits.get(because);
    if (entry === undefined) this.waits.set(because, { count: 1, plannedMs });
    else {
      entry.count++;
      entry.plannedMs += plannedMs;
    }
  }

  ended(outcome: Outcome): void {
    this.outcomes[outcome]++;
  }

  get attempts(): number {
    return this.#totals[ATTEMPTS] ?? 0;
  }

  count(replyClass: ReplyClass): number {
    return this.#totals[COLUMN[replyClass]] ?? 0;
  }

  totals(): Counts {
    return Object.fromEntries(REPLY_CLASSES.map((name) => [name, this.count(name)])) as Counts;
  }

  rows(): ClientMinuteRow[] {
    return Array.from({ length: this.#minutes }, (_, minute) => {
      const cells = this.#cells.subarray(minute * WIDTH, (minute + 1) * WIDTH);
      const classes = REPLY_CLASSES.map((name) => [name, cells[COLUMN[name]] ?? 0]);
      return { minute, attempts: cells[ATTEMPTS] ?? 0, ...Object.fromEntries(classes) } as ClientMinuteRow;
    });
  }

  #add(minute: number, column: number): void {
    const cell = minute * WIDTH + column;
    this.#cells[cell] = (this.#cells[cell] as number) + 1;
    this.#totals[column] = (this.#totals[column] as number) + 1;
  }

  #grow(minutes: number): void {
    this.#minutes = minutes;
    if (minutes * WIDTH <= this.#cells.length) return;
    const larger = new Uint32Array(Math.max(minutes * WIDTH, this.#cells.length * 2));
    larger.set(this.#cells);
    this.#cells = larger;
  }
}
