// The results folder of a served platform: laid out as that of `storm run`, with the clients that came in place of strategies.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toCsv } from '../books/csv.ts';
import { BILLING_COLUMNS, type BillingRow, LEDGER_COLUMNS } from '../books/night-files.ts';
import { writeManifest } from '../results-folder/manifest.ts';
import type { PlatformServer } from './platform-server.ts';
import {
  type ServedSummary,
  type ServedTables,
  servedFacts,
  servedLedger,
  servedSummary,
  tablesOf,
} from './served-ledger.ts';

export const BILLING_FILE = 'billing-by-minute.csv';

/** Name and text of each file that is made of the tables alone. */
export function servedFiles(tables: ServedTables): Readonly<Record<string, string>> {
  const { byClass, byMinute } = servedLedger(tables);
  const billing = (rows: readonly BillingRow[]) => toCsv(BILLING_COLUMNS, rows);
  const own = [...tables.clients].map(([name, rows]) => [`${name}/${BILLING_FILE}`, billing(rows)]);
  return {
    [BILLING_FILE]: billing(tables.platform),
    'ledger-by-class.csv': toCsv(LEDGER_COLUMNS, byClass),
    'ledger-by-minute.csv': toCsv(LEDGER_COLUMNS, byMinute),
    ...Object.fromEntries(own),
  };
}

export const summaryText = (summary: unknown): string => `${JSON.stringify(summary, undefined, 2)}\n`;

/** Writes everything into the draft of a results folder. Names of clients are checked, so that none leads out of it. */
export function writeServed(
  draft: string,
  scenarioText: string,
  { round, settings, refusals }: PlatformServer,
): ServedSummary {
  const { scenario, seed, speed } = settings;
  const tables = tablesOf(round);
  const summary = servedSummary({ scenario, seed, speed }, tables, servedFacts(round, refusals.counts));
  const write = (file: string, text: string) => writeFileSync(join(draft, file), text, { flag: 'wx' });
  for (const name of tables.clients.keys()) mkdirSync(join(draft, name));
  for (const [file, text] of Object.entries(servedFiles(tables))) write(file, text);
  write('scenario.yaml', scenarioText);
  write('summary.json', summaryText(summary));
  writeManifest(draft, {
    command: serveCommand(seed, speed),
    scenario: scenario.name,
    scenario_hash: scenario.hash,
    seed,
    nights: 1,
    clock: 'wall',
    strategies: [...tables.clients.keys()],
    served: { speed },
  });
  return summary;
}

export const serveCommand = (seed: number, speed: number): string =>
  `storm serve --profile scenario.yaml --seed ${seed} --speed ${speed}`;
