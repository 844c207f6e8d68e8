// nights.csv: one row a night and strategy, whose figures keep their identities. Only the first night of a strategy has books
// on file; it is held against its summary, and the spreads of all are made again.

import { join } from 'node:path';
import { FIGURE_NAMES, type Figures } from '../books/figures.ts';
import { spread } from '../books/quantiles.ts';
import type { NightSummary } from '../books/summary.ts';
import type { Manifest } from '../results-folder/manifest.ts';
import { csvRows, numberIn, type TextRow } from '../results-folder/open.ts';
import type { Problem } from './compare-text.ts';

/** The identities that hold within the figures of one night: a sum on each side. */
const NIGHT_IDENTITIES: readonly (readonly [left: readonly string[], right: readonly string[]])[] = [
  [['calls'], ['billed', 'edge_rejected', 'soft_limited', 'quota_rejected', 'unavailable']],
  [['billed'], ['ok', 'error500', 'error503', 'other']],
];

export async function verifyNights(
  folder: string,
  { seed, nights, strategies, partial }: Manifest,
  summaries: readonly NightSummary[],
  problem: Problem,
): Promise<number> {
  const rows = new Map<string, TextRow[]>(strategies.map((strategy) => [strategy, []]));
  for await (const row of csvRows(join(folder, 'nights.csv'))) {
    const known = rows.get(row.strategy ?? '');
    if (known === undefined) problem('nights.csv', `has a row of ${row.strategy}, which did not run`);
    else known.push(row);
  }
  for (const [strategy, own] of rows) {
    const summary = summaries.find((each) => each.strategy === strategy);
    const enough = partial === true ? own.length >= 1 && own.length <= nights : own.length === nights;
    if (!enough) problem('nights.csv', `has ${own.length} nights of ${strategy} instead of ${nights}`);
    const said = (summary as { readonly nights_ended?: number } | undefined)?.nights_ended;
    if (said !== (partial === true ? own.length : undefined))
      problem('summary.json', `nights_ended of ${strategy} is ${said}, but nights.csv has ${own.length}`);
    own.forEach((row, index) => {
      const wrong = (what: string) => problem('nights.csv', `${strategy}, seed ${row.seed}: ${what}`);
      if (numberIn(row, 'seed') !== seed + index) wrong(`stands where seed ${seed + index} must stand`);
      verifyRow(row, summary, index === 0, wrong);
    });
    if (summary !== undefined) verifySpreads(own, summary, problem);
  }
  return [...rows.values()].reduce((sum, own) => sum + own.length, 0);
}

function verifyRow(
  row: TextRow,
  summary: NightSummary | undefined,
  first: boolean,
  wrong: (what: string) => void,
): void {
  for (const [left, right] of NIGHT_IDENTITIES) {
    if (total(row, left) !== total(row, right)) wrong(`${left.join(' + ')} = ${right.join(' + ')} does not hold`);
  }
  if (summary === undefined) return;
  const items = total(row, ['items_done', 'items_abandoned', 'items_unfinished']);
  if (items !== summary.items.total) wrong(`accounts for ${items} items of ${summary.items.total}`);
  if (!first) return;
  const { total: calls, ...rest } = summary.calls;
  const figures: Readonly<Record<string, number>> = {
    calls,
    ...rest,
    waits: Object.values(summary.waits).reduce((sum, { count }) => sum + count, 0),
    duration_s: summary.duration_s,
    items_done: summary.items.done,
    items_abandoned: summary.items.abandoned,
    early_retries: summary.early_retries,
    calls_after_quota: summary.calls_after_quota,
  };
  for (const [column, value] of Object.entries(figures)) {
    if (numberIn(row, column) !== value) wrong(`${column} is ${row[column]}, but summary.json says ${value}`);
  }
}

/** The spreads that summary.json gives over all nights. */
function verifySpreads(rows: readonly TextRow[], summary: NightSummary, problem: Problem): void {
  const said =
    (summary as { readonly over_all_nights?: Readonly<Partial<Record<keyof Figures, unknown>>> }).over_all_nights ?? {};
  for (const name of FIGURE_NAMES) {
    const made = spread(rows.filter((row) => row[name] !== '').map((row) => numberIn(row, name)));
    if (JSON.stringify(said[name]) !== JSON.stringify(made)) {
      problem('summary.json', `${summary.strategy}: over_all_nights.${name} is not what nights.csv makes it`);
    }
  }
}

const total = (row: TextRow, columns: readonly string[]): number =>
  columns.reduce((sum, column) => sum + numberIn(row, column), 0);
