// The files of one strategy held against a recount of its requests: tables, ledger, audit log, histograms and summary.

import { createReadStream, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { AuditEntry } from '../books/audit-log.ts';
import { toCsv } from '../books/csv.ts';
import { LatencyHistograms } from '../books/histograms.ts';
import { BILLING_COLUMNS, billingRow, CLIENT_COLUMNS, LEDGER_COLUMNS } from '../books/night-files.ts';
import { discrepancies, ledgerByClass, ledgerByMinute, sum, type TwoBooks } from '../books/reconcile.ts';
import type { NightSummary } from '../books/summary.ts';
import { csvRows, type TextRow } from '../results-folder/open.ts';
import { Recount } from './recount.ts';

/** Told of one thing that is not as it must be: a file, and what is wrong in it. */
export type Problem = (file: string, what: string) => void;

export interface VerifiedStrategy {
  readonly requests: number;
  readonly identities: number;
}

/**
 * @param folder of the strategy
 * @param summary what summary.json says of it
 * @param epochMs calendar time at scenario time 0
 */
export async function verifyStrategy(
  folder: string,
  client: string,
  summary: NightSummary,
  epochMs: number,
  problem: Problem,
): Promise<VerifiedStrategy> {
  const at = (file: string) => join(folder, file);
  const recount = new Recount(client, (what) => problem(`${client}/requests.csv`, what));
  const latency = new LatencyHistograms(epochMs);
  const audit = auditedAttempts(at('audit.jsonl'));
  for await (const row of csvRows(at('requests.csv'))) {
    recount.add(row);
    if (row.match === 'matched') latency.add(Number(row.sent_ms), Number(row.received_ms));
    const { value: entry } = await audit.next();
    if (!sameAttempt(entry, row))
      problem(`${client}/audit.jsonl`, `has no line for ${row.request_id}, or another one in its place`);
  }
  if ((await audit.next()).done !== true) problem(`${client}/audit.jsonl`, 'has more attempts than requests.csv');
  recount.close();
  const items = { ...summary.items, done: recount.itemsDone.size };
  const books: TwoBooks = {
    platform: { minutes: recount.platform },
    client: { minutes: recount.client },
    items,
    operations: summary.operations,
  };
  const expected: Readonly<Record<string, string>> = {
    'billing-by-minute.csv': toCsv(BILLING_COLUMNS, recount.platform.map(billingRow)),
    'client-by-minute.csv': toCsv(CLIENT_COLUMNS, recount.client),
    'ledger-by-class.csv': toCsv(LEDGER_COLUMNS, ledgerByClass(books)),
    'ledger-by-minute.csv': toCsv(LEDGER_COLUMNS, ledgerByMinute(books)),
    'latency.hgrm': latency.hgrm(),
    'latency.hlog': latency.hlog(),
  };
  for (const [file, text] of Object.entries(expected))
    compare(`${client}/${file}`, readFileSync(at(file), 'utf8'), text, problem);
  for (const { scope, identity, difference } of discrepancies(books)) {
    problem(
      `${client}/requests.csv`,
      `${scope === 'night' ? 'the night' : `minute ${scope}`}: ${identity} is off by ${difference}`,
    );
  }
  verifySummary(client, summary, books, problem);
  return { requests: recount.requests, identities: ledgerByClass(books).length + ledgerByMinute(books).length };
}

/** Names the first line that differs. */
function compare(file: string, found: string, expected: string, problem: Problem): void {
  if (found === expected) return;
  const have = found.split('\n');
  const want = expected.split('\n');
  const index = want.findIndex((text, i) => text !== have[i]);
  const line = index === -1 ? want.length : index;
  problem(file, `line ${line + 1}: is "${clip(have[line])}", but the requests make it "${clip(want[line])}"`);
}

const clip = (text: string | undefined): string => (text ?? '(missing)').slice(0, 80);

function verifySummary(client: string, summary: NightSummary, { platform, items }: TwoBooks, problem: Problem): void {
  const zero = Object.fromEntries(BILLING_COLUMNS.slice(1).map((column) => [column, 0]));
  const totals = sum(zero, platform.minutes.map(billingRow) as Readonly<Record<string, number>>[]);
  for (const [name, value] of Object.entries(summary.calls)) {
    if (totals[name] !== value)
      problem('summary.json', `${client}: calls.${name} is ${value}, but the requests make it ${totals[name]}`);
  }
  if (summary.items.done !== items.done) {
    problem('summary.json', `${client}: items.done is ${summary.items.done}, but the requests make it ${items.done}`);
  }
}

/** Item, attempt, status, wait and event of the audit log are those of the request. */
function sameAttempt(entry: AuditEntry | undefined, row: TextRow): boolean {
  if (entry === undefined) return false;
  const waitMs = entry.wait_s === undefined ? entry.wait_ms : entry.wait_s * 1000;
  const logged = [entry.id, entry.attempt, entry.status, waitMs ?? '', entry.event];
  const event = row.decision === 'done' ? 'ok' : row.because;
  return logged.join() === [row.item, row.attempt, row.status, row.wait_ms, event].join();
}

/** Entries of attempts that were sent; those refused before have no status. */
async function* auditedAttempts(path: string): AsyncGenerator<AuditEntry, undefined> {
  for await (const text of createInterface({ input: createReadStream(path) })) {
    const entry = JSON.parse(text) as AuditEntry;
    if (entry.status !== null) yield entry;
  }
  return undefined;
}
