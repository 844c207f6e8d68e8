// What a night looks like on the screen, whoever was the client.

import { BILLING_COLUMNS, billingRow } from '../books/night-files.ts';
import type { NightSummary } from '../books/summary.ts';
import type { Night } from '../night.ts';
import type { ForeignSummary } from '../run/client-nights.ts';
import { mark, shown, table } from './screen.ts';

export function billingTable({ platform }: Night): string {
  const rows = platform.minutes.map(billingRow);
  return table(
    [...BILLING_COLUMNS],
    rows.map((row) => BILLING_COLUMNS.map((column) => row[column])),
  );
}

export const balanceLine = (balance: boolean): string =>
  balance ? mark.good('books balance') : mark.bad('books DIFFER');

/** How the items of a foreign client ended, and how long one took. */
export function endingsLine({ endings, item_ms }: ForeignSummary): string {
  const counted = Object.entries(endings).map(([name, count]) => `${name} ${shown(count)}`);
  const times = item_ms === null ? '' : `; an item takes ${shown(item_ms.median)} ms, 99 %: ${shown(item_ms.p99)} ms`;
  return `items ended as ${counted.join(', ') || 'nothing'}${times}`;
}

/** Nights side by side, a row each. */
export function comparisonTable(summaries: readonly NightSummary[]): string {
  const rows = summaries.map((each) => [
    each.strategy,
    each.items.total,
    each.calls.total,
    each.calls_per_item ?? undefined,
    each.calls.billed,
    each.items.done,
    each.items.abandoned,
    each.items.unfinished,
    each.billed_per_done_item ?? undefined,
    each.duration_s,
    each.quota_gone_s ?? 'never',
    each.stop_reason,
  ]);
  const items = ['done', 'abandoned', 'unfinished', 'billed/done'];
  return table(
    ['strategy', 'items', 'calls', 'calls/item', 'billed', ...items, 'seconds', 'quota gone at', 'ended'],
    rows,
  );
}
