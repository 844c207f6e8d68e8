// The folder of a served platform. Nobody else's book is on file, so that what can be held is within its own: every identity,
// that its clients together made its calls, and everything that follows from the tables.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { BILLING_COLUMNS, type BillingRow } from '../books/night-files.ts';
import { MANIFEST, type Manifest } from '../results-folder/manifest.ts';
import { csvRows, numberIn } from '../results-folder/open.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { BILLING_FILE, serveCommand, servedFiles, summaryText } from '../serve/served-folder.ts';
import {
  quotaOf,
  type ServedFacts,
  type ServedTables,
  servedFactsSchema,
  servedLedger,
  servedSummary,
  totalOf,
} from '../serve/served-ledger.ts';
import { compareText, type Problem } from './compare-text.ts';

/** @returns how many calls and identities were looked at */
export async function verifyServed(
  folder: string,
  manifest: Manifest & { readonly served: NonNullable<Manifest['served']> },
  scenario: Scenario,
  problem: Problem,
): Promise<{ readonly requests: number; readonly identities: number }> {
  const { seed, served } = manifest;
  if (manifest.command !== serveCommand(seed, served.speed))
    problem(MANIFEST, 'its command is not the one of its seed and speed');
  const tables = await readTables(folder, manifest.strategies, problem);
  const text = readFileSync(join(folder, 'summary.json'), 'utf8');
  const { facts } = z.looseObject({ facts: servedFactsSchema }).parse(JSON.parse(text));
  for (const [file, made] of Object.entries(servedFiles(tables)))
    compareText(file, readFileSync(join(folder, file), 'utf8'), made, 'books', problem);
  compareText(
    'summary.json',
    text,
    summaryText(servedSummary({ scenario, seed, speed: served.speed }, tables, facts)),
    'books',
    problem,
  );
  const { byClass, byMinute } = servedLedger(tables);
  for (const { scope, identity, difference } of [...byClass, ...byMinute].filter((row) => row.difference !== 0))
    problem(
      BILLING_FILE,
      `${scope === 'night' ? 'the night' : `minute ${scope}`}: ${identity} is off by ${difference}`,
    );
  for (const what of impossible(tables, facts, quotaOf(scenario)?.calls)) problem('summary.json', what);
  return { requests: totalOf(tables.platform).total, identities: byClass.length + byMinute.length };
}

async function readTables(folder: string, clients: readonly string[], problem: Problem): Promise<ServedTables> {
  const own: [string, BillingRow[]][] = [];
  for (const client of clients) own.push([client, await readBilling(folder, `${client}/${BILLING_FILE}`, problem)]);
  return { platform: await readBilling(folder, BILLING_FILE, problem), clients: new Map(own) };
}

async function readBilling(folder: string, file: string, problem: Problem): Promise<BillingRow[]> {
  const rows: BillingRow[] = [];
  for await (const row of csvRows(join(folder, file))) {
    const counts = Object.fromEntries(BILLING_COLUMNS.map((column) => [column, numberIn(row, column)])) as BillingRow;
    const wrong = BILLING_COLUMNS.find((column) => !(Number.isSafeInteger(counts[column]) && counts[column] >= 0));
    if (wrong !== undefined) problem(file, `line ${rows.length + 2}: ${wrong} is no count`);
    if (counts.minute !== rows.length) problem(file, `line ${rows.length + 2}: is not minute ${rows.length}`);
    rows.push(counts);
  }
  return rows;
}

/** What can not be, of what no table holds. */
function* impossible(tables: ServedTables, facts: ServedFacts, quota: number | undefined): Generator<string> {
  const { billed, quota_rejected: rejected, total } = totalOf(tables.platform);
  if (quota !== undefined && billed > quota) yield `${billed} calls are billed of a quota of ${quota}`;
  if ((facts.quota_gone_s !== null) !== rejected > 0) yield 'facts.quota_gone_s does not go with the quota rejections';
  if (facts.calls_after_quota < rejected || facts.calls_after_quota > total)
    yield 'facts.calls_after_quota is not between the quota rejections and all calls';
  if (Object.keys(facts.clients).join() !== [...tables.clients.keys()].join())
    yield 'facts.clients are not the clients of the tables';
  for (const [client, rows] of tables.clients) {
    const own = totalOf(rows);
    const { asked, done, early_retries, untracked } = facts.clients[client] ?? ABSENT;
    if (done > asked || done > own.ok) yield `${client}: ${done} done of ${asked} asked for with ${own.ok} successes`;
    if (asked + untracked > own.total || early_retries > own.total - asked)
      yield `${client}: more asked for or early than ${own.total} calls`;
  }
}

const ABSENT = { asked: 0, done: 0, early_retries: 0, untracked: 0 };
