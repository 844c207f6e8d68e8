// The console lines of a client that works in batches, made again from its requests: batches follow one another, so that a
// line holds what came back for all items up to the last of its batch.

import type { SchedulerSettings } from '../../clients/strategies/settings.ts';
import { toCsv } from '../books/csv.ts';
import { PROGRESS_COLUMNS } from '../books/night-files.ts';
import { numberIn, type TextRow } from '../results-folder/open.ts';

interface Batch {
  attempts: number;
  ok: number;
  limit429: number;
  quota429: number;
  error500: number;
  passes: number;
  readonly done: Set<number>;
}

export class ProgressRecount {
  readonly #batchSize: number | undefined;
  readonly #items: number;
  readonly #batches: Batch[] = [];

  constructor(scheduler: SchedulerSettings | undefined, items: number) {
    this.#batchSize = scheduler?.kind === 'replay_batches' ? scheduler.batchSize : undefined;
    this.#items = items;
  }

  add(row: TextRow): void {
    if (this.#batchSize === undefined) return;
    const item = numberIn(row, 'item');
    const index = Math.floor((item - 1) / this.#batchSize);
    if (!(index >= 0 && item <= this.#items)) return;
    const batch = this.#batch(index);
    batch.attempts++;
    batch.passes = Math.max(batch.passes, numberIn(row, 'pass'));
    const seen = row.reply_class;
    if (seen === 'ok' || seen === 'limit429' || seen === 'quota429' || seen === 'error500') batch[seen]++;
    if (seen === 'ok') batch.done.add(item);
  }

  /** progress.csv, for a client that has one. */
  files(): Readonly<Record<string, string>> {
    const size = this.#batchSize;
    if (size === undefined) return {};
    const sum = { attempts: 0, ok: 0, limit429: 0, quota429: 0, error500: 0 };
    const lines = this.#batches.map((batch, index) => {
      for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += batch[name];
      const whole = Math.min(size, this.#items - index * size);
      return { batch: index + 1, passes: batch.passes, complete: batch.done.size === whole ? 1 : 0, ...sum };
    });
    return { 'progress.csv': toCsv(PROGRESS_COLUMNS, lines) };
  }

  #batch(index: number): Batch {
    for (let next = this.#batches.length; next <= index; next++) {
      this.#batches.push({ attempts: 0, ok: 0, limit429: 0, quota429: 0, error500: 0, passes: 0, done: new Set() });
    }
    return this.#batches[index] as Batch;
  }
}
