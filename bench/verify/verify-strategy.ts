// The files of one strategy held against a recount of its requests: tables, ledger, audit log, histograms and summary.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AuditEntry } from '../books/audit-log.ts';
import { toCsv } from '../books/csv.ts';
import type { DecisionEntry } from '../books/decision-log.ts';
import { LatencyHistograms } from '../books/histograms.ts';
import { JOINED_COLUMNS, joinedRow } from '../books/joined-minutes.ts';
import { BILLING_COLUMNS, billingRow, CLIENT_COLUMNS, LEDGER_COLUMNS } from '../books/night-files.ts';
import { jsonLines } from '../books/read-json-lines.ts';
import { discrepancies, ledgerByClass, ledgerByMinute, type TwoBooks } from '../books/reconcile.ts';
import type { NightSummary } from '../books/summary.ts';
import { csvRows } from '../results-folder/open.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { AttemptTrail, logsAgree } from './attempt-trail.ts';
import { compareText, type Problem } from './compare-text.ts';
import { ProgressRecount } from './progress-recount.ts';
import { Recount } from './recount.ts';
import { summaryDifferences } from './verify-summary.ts';

export interface VerifiedStrategy {
  readonly requests: number;
  readonly identities: number;
  /** As counted from its requests. */
  readonly books: TwoBooks;
}

export interface StrategyToVerify {
  /** Of the strategy. */
  readonly folder: string;
  readonly client: string;
  /** What summary.json says of it. */
  readonly summary: NightSummary;
  readonly scenario: Scenario;
  readonly seed: number;
  /** Whether the night was on real time. */
  readonly onWall: boolean;
}

export async function verifyStrategy(
  { folder, client, summary, scenario, seed, onWall }: StrategyToVerify,
  problem: Problem,
): Promise<VerifiedStrategy> {
  const at = (file: string) => join(folder, file);
  const { items: itemCount, clientStartMs, name: task } = scenario.task;
  const recount = new Recount(client, (what) => problem(`${client}/requests.csv`, what), onWall);
  const latency = new LatencyHistograms(scenario.profile.epochMs);
  const trail = new AttemptTrail(task, clientStartMs);
  const progress = new ProgressRecount(scenario.strategies[client]?.scheduler, itemCount);
  const logs = bothLogs(folder, trail, (file, what) => problem(`${client}/${file}`, what));
  const passes = scenario.strategies[client]?.scheduler.kind === 'replay_batches';
  for await (const row of csvRows(at('requests.csv'))) {
    recount.add(row);
    progress.add(row);
    if (!passes && row.pass !== '1')
      problem(`${client}/requests.csv`, `${row.request_id}: pass ${row.pass} of a client that makes one`);
    if (row.match === 'matched') latency.add(Number(row.sent_ms), Number(row.received_ms));
    const { value } = await logs.next();
    for (const [file, what] of trail.add(row, value?.audit, value?.decision)) problem(`${client}/${file}`, what);
  }
  if ((await logs.next()).done !== true) problem(`${client}/audit.jsonl`, 'has more attempts than requests.csv');
  recount.close();
  trail.close();
  const books: TwoBooks = {
    platform: { minutes: recount.platform },
    client: { minutes: recount.client },
    ...(onWall ? { joined: { minutes: recount.joined.rows } } : {}),
    items: { ...summary.items, done: recount.itemsDone.size },
    operations: summary.operations,
  };
  const expected: Readonly<Record<string, string>> = {
    'billing-by-minute.csv': toCsv(BILLING_COLUMNS, recount.platform.map(billingRow)),
    'client-by-minute.csv': toCsv(CLIENT_COLUMNS, recount.client),
    'ledger-by-class.csv': toCsv(LEDGER_COLUMNS, ledgerByClass(books)),
    'ledger-by-minute.csv': toCsv(LEDGER_COLUMNS, ledgerByMinute(books)),
    ...(onWall ? { 'joined-by-minute.csv': toCsv(JOINED_COLUMNS, recount.joined.rows.map(joinedRow)) } : {}),
    'latency.hgrm': latency.hgrm(),
    'latency.hlog': latency.hlog(),
    ...(summary.stop_reason === 'done' ? progress.files() : {}),
  };
  for (const [file, text] of Object.entries(expected))
    compareText(`${client}/${file}`, readFileSync(at(file), 'utf8'), text, 'requests', problem);
  for (const { scope, identity, difference } of discrepancies(books)) {
    const where = scope === 'night' ? 'the night' : `minute ${scope}`;
    problem(`${client}/requests.csv`, `${where}: ${identity} is off by ${difference}`);
  }
  const made = { seed, items: itemCount, startedMs: clientStartMs };
  for (const what of summaryDifferences(summary, books, trail, made)) problem('summary.json', `${client}: ${what}`);
  const identities = ledgerByClass(books).length + ledgerByMinute(books).length;
  return { requests: recount.requests, identities, books };
}

/** Both logs of a client in step; hands out the attempts that were sent, refusals before sending are checked and passed over. */
async function* bothLogs(
  folder: string,
  trail: AttemptTrail,
  problem: Problem,
): AsyncGenerator<{ readonly audit: AuditEntry; readonly decision: DecisionEntry }, undefined> {
  const audits = jsonLines<AuditEntry>(join(folder, 'audit.jsonl'));
  const decisions = jsonLines<DecisionEntry>(join(folder, 'decisions.jsonl'));
  for (let line = 1; ; line++) {
    const [{ value: audit }, { value: decision }] = await Promise.all([audits.next(), decisions.next()]);
    if (audit === undefined || decision === undefined) {
      if (audit !== decision) problem('decisions.jsonl', `ends at another line than audit.jsonl: ${line}`);
      return undefined;
    }
    trail.addWait(audit);
    if (!logsAgree(audit, decision)) problem('decisions.jsonl', `line ${line}: is not what audit.jsonl says`);
    if (audit.status !== null) yield { audit, decision };
  }
}
