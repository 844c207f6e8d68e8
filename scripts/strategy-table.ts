// Every strategy of the catalogue on the storm night: the table of the README, and results/reference/strategies.csv, from
// which a test holds the README.
//   npm run strategies

import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseDocument } from 'yaml';
import { toCsv } from '../bench/books/csv.ts';
import { type Figures, figures } from '../bench/books/figures.ts';
import { spread } from '../bench/books/quantiles.ts';
import { NightPool } from '../bench/run/night-pool.ts';
import { loadScenario, parseScenario } from '../bench/scenario/load.ts';
import { SourceFile } from '../bench/scenario/source-file.ts';
import { CATALOGUE } from '../clients/strategies/catalogue.ts';

const NIGHTS = 200;
/** Left out at each end: the interval is 2.5 % to 97.5 % of the nights. */
const TAIL = 0.025;

export const STRATEGIES_CSV = fileURLToPath(new URL('../../results/reference/strategies.csv', import.meta.url));

/** The storm night with every strategy of the catalogue; those of the preset keep its changes. */
function everyStrategy() {
  const document = parseDocument(loadScenario('storm-night').text);
  for (const name of Object.keys(CATALOGUE))
    if (!document.hasIn(['strategies', name])) document.setIn(['strategies', name], {});
  // The pause after a pass is the scenario's, for whoever makes passes.
  for (const name of [
    'guarded-without-checkpoint',
    'naive-with-retry-after',
    'naive-with-backoff',
    'naive-with-checkpoint',
    'naive-with-budget',
  ]) {
    document.setIn(['strategies', name], { scheduler: { pause_after_pass_ms: 100 } });
  }
  return parseScenario(SourceFile.parse('storm-night, every strategy', String(document))).scenario;
}

const COLUMNS: readonly (readonly [string, (each: Figures) => number])[] = [
  ['calls', (each) => each.calls],
  ['billed', (each) => each.billed],
  ['done', (each) => each.items_done],
  ['seconds', (each) => Math.round(each.duration_s)],
  ['early_retries', (each) => each.early_retries],
  ['calls_after_quota', (each) => each.calls_after_quota],
  ['calls_per_done', (each) => Math.round((100 * each.calls) / Math.max(1, each.items_done)) / 100],
];

/** One row of strategies.csv: a median and an interval for each figure. */
const CSV_COLUMNS = ['strategy', ...COLUMNS.flatMap(([name]) => [name, `${name}_low`, `${name}_high`])];

/** Runs the nights of one strategy: a median and an interval for each figure. */
export async function strategyRow(strategy: string, pool: NightPool): Promise<Record<string, string | number>> {
  const scenario = everyStrategy();
  const nights: Figures[] = [];
  for await (const night of pool.series({ scenario, strategy, clock: 'virtual', firstSeed: 1, nights: NIGHTS })) {
    nights.push(figures(night));
  }
  const row: Record<string, string | number> = { strategy };
  for (const [name, of] of COLUMNS) {
    const found = spread(nights.map(of), TAIL);
    Object.assign(row, {
      [name]: found?.median ?? 0,
      [`${name}_low`]: found?.low ?? 0,
      [`${name}_high`]: found?.high ?? 0,
    });
  }
  return row;
}

async function main(): Promise<void> {
  const pool = new NightPool();
  const rows: Record<string, string | number>[] = [];
  for (const strategy of Object.keys(CATALOGUE)) {
    const row = await strategyRow(strategy, pool);
    rows.push(row);
    process.stdout.write(`${tableRow(row)}\n`);
  }
  await pool.close();
  mkdirSync(dirname(STRATEGIES_CSV), { recursive: true });
  writeFileSync(STRATEGIES_CSV, toCsv(CSV_COLUMNS, rows));
}

/** A row of the README's table: median, and in brackets the interval where it is more than a point. */
export function tableRow(row: Readonly<Record<string, string | number>>): string {
  const cells = COLUMNS.map(([name]) => {
    const [median, low, high] = [name, `${name}_low`, `${name}_high`].map((column) => shown(Number(row[column])));
    return low === high ? median : `${median} (${low}–${high})`;
  });
  return `| ${row.strategy} | ${cells.join(' | ')} |`;
}

const shown = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: value < 100 ? 2 : 0 });

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
