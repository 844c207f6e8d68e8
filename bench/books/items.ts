// What became of each thing that foreign code asked for, an item or a path: the one record beside requests.csv that says which
// one a request was about.

import { type CsvRow, toCsv } from './csv.ts';

const ITEM_COLUMNS = ['item', 'attempts', 'first_sent_ms', 'done_ms'] as const;

export interface ItemRow {
  attempts: number;
  firstSentMs: number;
  /** When its first success came. */
  doneMs: number | undefined;
}

/** Things by their number, in the order in which their first attempts ended. */
export class ItemTable {
  readonly rows = new Map<number, ItemRow>();

  /** An attempt has ended; returns which one it was for this item. */
  add(item: number, sentMs: number, receivedMs: number, ok: boolean): number {
    let row = this.rows.get(item);
    if (row === undefined) {
      row = { attempts: 0, firstSentMs: sentMs, doneMs: undefined };
      this.rows.set(item, row);
    }
    row.firstSentMs = Math.min(row.firstSentMs, sentMs);
    if (ok) row.doneMs ??= receivedMs;
    return ++row.attempts;
  }

  csv(): string {
    const rows = [...this.rows].map(
      ([item, { attempts, firstSentMs, doneMs }]): CsvRow<(typeof ITEM_COLUMNS)[number]> => {
        return { item, attempts, first_sent_ms: firstSentMs, done_ms: doneMs };
      },
    );
    return toCsv(ITEM_COLUMNS, rows);
  }
}
