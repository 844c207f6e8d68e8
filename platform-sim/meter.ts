// The platform's book: requests by minute and class, counted when the verdict is given. It knows nothing of what the
// client counts; the ledger of the bench holds the two against each other.

import { VERDICT_CLASSES, type Verdict, type VerdictClass } from './types.ts';

const MINUTE_MS = 60_000;
const COLUMN: Readonly<Record<VerdictClass, number>> = Object.fromEntries(
  VERDICT_CLASSES.map((name, index) => [name, index]),
) as Record<VerdictClass, number>;
/** One column a class, one for billed calls, and one for all: counted apart, so that each can be held against the others. */
const BILLED = VERDICT_CLASSES.length;
const TOTAL = BILLED + 1;
/** Then, a column a class, the replies that nobody heard: lost on the way, or given up by the client. */
const UNHEARD = TOTAL + 1;
const WIDTH = UNHEARD + VERDICT_CLASSES.length;

/** One minute of the platform's book. */
export type MinuteRow = Readonly<
  Record<VerdictClass | `unheard_${VerdictClass}` | 'minute' | 'total' | 'billed', number>
>;

export class Meter {
  #cells = new Uint32Array(WIDTH * 32);
  #minutes = 0;
  /** When the last call of the quota was billed or, until it is gone, undefined. */
  quotaGoneMs: number | undefined;
  #lastBilledMs: number | undefined;
  #total = 0;
  #totalAtLastBilled = 0;
  /** Replies that reached nobody, as far as the platform could tell. */
  unheard = 0;

  count(nowMs: number, verdict: Verdict): void {
    this.#total++;
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute >= this.#minutes) this.#grow(minute + 1);
    const row = minute * WIDTH;
    this.#add(row + TOTAL);
    this.#add(row + COLUMN[verdict.verdictClass]);
    if (verdict.billed) {
      this.#add(row + BILLED);
      this.#lastBilledMs = nowMs;
      this.#totalAtLastBilled = this.#total;
    } else if (verdict.limitKind === 'quota') {
      this.quotaGoneMs ??= this.#lastBilledMs ?? nowMs;
    }
  }

  /** Requests that came when the quota was gone already, whatever refused them. */
  get callsAfterQuota(): number {
    return this.quotaGoneMs === undefined ? 0 : this.#total - this.#totalAtLastBilled;
  }

  /** The reply to a request that was counted at `arrivedMs` reached nobody. */
  countUnheard(arrivedMs: number, verdict: Verdict): void {
    this.unheard++;
    this.#add(Math.floor(arrivedMs / MINUTE_MS) * WIDTH + UNHEARD + COLUMN[verdict.verdictClass]);
  }

  /** Rows from minute 0 to the last minute in which a request came, empty minutes included. */
  rows(): MinuteRow[] {
    return Array.from({ length: this.#minutes }, (_, minute) => {
      const cells = this.#cells.subarray(minute * WIDTH, (minute + 1) * WIDTH);
      const classes = Object.fromEntries(VERDICT_CLASSES.map((name, column) => [name, cells[column] ?? 0]));
      const unheard = VERDICT_CLASSES.map((name, column) => [`unheard_${name}`, cells[UNHEARD + column] ?? 0]);
      const counted = { ...classes, ...Object.fromEntries(unheard) };
      return { minute, total: cells[TOTAL] ?? 0, billed: cells[BILLED] ?? 0, ...counted } as MinuteRow;
    });
  }

  #add(cell: number): void {
    this.#cells[cell] = (this.#cells[cell] ?? 0) + 1;
  }

  #grow(minutes: number): void {
    this.#minutes = minutes;
    if (minutes * WIDTH <= this.#cells.length) return;
    const larger = new Uint32Array(Math.max(minutes * WIDTH, this.#cells.length * 2));
    larger.set(this.#cells);
    this.#cells = larger;
  }
}
