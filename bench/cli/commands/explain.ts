// `storm explain`: one item's whole story, from the files of a results folder alone: every attempt, what the platform
// decided, what the client made of it, how long it waited and why.

import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Argv } from 'yargs';
import type { AuditEntry } from '../../books/audit-log.ts';
import { InputError, inputMistake } from '../../input-error.ts';
import { isForeign, type Manifest } from '../../results-folder/manifest.ts';
import { csvRows, numberIn, openManifest, type TextRow } from '../../results-folder/open.ts';
import { loadScenario } from '../../scenario/load.ts';
import { intOption } from '../options.ts';
import { type Cell, line, mark, shown, table } from '../screen.ts';

export const command = 'explain <results>';
export const describe = "Tell one item's whole story: every attempt, verdict, wait, and why";

export const builder = (yargs: Argv) =>
  yargs
    .positional('results', { type: 'string', demandOption: true, describe: 'a results folder' })
    .option('client', { type: 'string', describe: 'the strategy; may be left out when the folder holds one' })
    .option('item', { demandOption: true, coerce: intOption('--item', 1, 1_000_000), describe: 'number of the item' })
    .example('$0 explain results/storm-night --client guarded --item 14', 'why item 14 took as long as it did');

export interface ExplainOptions {
  readonly results: string;
  readonly client?: string | undefined;
  readonly item: number;
}

export async function handler({ results, client, item }: ExplainOptions): Promise<void> {
  const manifest = openManifest(results);
  if (manifest.served !== undefined)
    throw inputMistake('command line', '<results>', results, 'a folder of nights; a served platform keeps no requests');
  const strategy = chosenClient(manifest, client);
  const { scenario } = loadScenario(join(results, 'scenario.yaml'));
  const { items, clientStartMs } = scenario.task;
  if (item > items && manifest.driven !== true) throw inputMistake('command line', '--item', item, `1 to ${items}`);
  const attempts = await read(join(results, strategy, 'requests.csv'), (path) => attemptsOf(path, item));
  // Foreign code keeps no audit log: what it decided without a request, only it knows.
  const audit = join(results, strategy, 'audit.jsonl');
  const refusals = isForeign(manifest, strategy) ? [] : await read(audit, (path) => refusalsOf(path, item));
  line(
    `${mark.strong(`item ${item}`)} of ${scenario.name}, client ${strategy}, seed ${manifest.seed}, ${manifest.clock} clock`,
  );
  line(`times in ms of scenario time; the client started at ${clientStartMs}`);
  line();
  const rows = [...attempts.map(attemptRow), ...refusals.map((entry) => refusalRow(entry, clientStartMs))];
  rows.sort((a, b) => a.atMs - b.atMs);
  const head = ['pass', 'attempt', 'sent', 'arrived', 'platform says', 'billed', 'received', 'status', 'then', 'why'];
  line(
    rows.length === 0
      ? 'never asked for'
      : table(
          head,
          rows.map(({ cells }) => cells),
        ),
  );
  line();
  line(outcome(attempts, String(rows.at(-1)?.cells.at(-1) || 'unfinished')));
}

/** A file that is missing or broken is the user's folder, not a failure of ours. */
async function read<T>(path: string, from: (path: string) => Promise<T>): Promise<T> {
  try {
    return await from(path);
  } catch (error) {
    const [why] = String(error instanceof Error ? error.message : error).split('\n');
    throw new InputError(`${path}: can not be read: ${why}; allowed: a folder as storm wrote it (see storm verify)`);
  }
}

function chosenClient({ strategies }: Manifest, client: string | undefined): string {
  const allowed = `one of ${strategies.join(', ')}`;
  const [only] = strategies;
  if (client === undefined && (strategies.length !== 1 || only === undefined))
    throw inputMistake('command line', '--client', undefined, allowed);
  const chosen = client ?? only ?? '';
  if (!strategies.includes(chosen)) throw inputMistake('command line', '--client', client, allowed);
  return chosen;
}

async function attemptsOf(path: string, item: number): Promise<TextRow[]> {
  const found: TextRow[] = [];
  for await (const row of csvRows(path)) if (numberIn(row, 'item') === item) found.push(row);
  return found.sort((a, b) => numberIn(a, 'sent_ms') - numberIn(b, 'sent_ms'));
}

/** Attempts that were refused before they were sent: they are in the audit log only. */
async function refusalsOf(path: string, item: number): Promise<AuditEntry[]> {
  const found: AuditEntry[] = [];
  for await (const text of createInterface({ input: createReadStream(path) })) {
    const entry = JSON.parse(text) as AuditEntry;
    if (entry.id === item && entry.status === null) found.push(entry);
  }
  return found;
}

interface StoryRow {
  readonly atMs: number;
  readonly cells: readonly Cell[];
}

function attemptRow(row: TextRow): StoryRow {
  const number = (column: string) => (row[column] === '' ? undefined : numberIn(row, column));
  const limit = row.retry_after === '' ? '' : `, Retry-After: ${row.retry_after}`;
  const next = row.decision === 'retry' ? `waits ${row.wait_ms} ms` : row.decision;
  const cells = [
    number('pass'),
    number('attempt'),
    number('sent_ms'),
    number('arrived_ms'),
    `${row.verdict}${limit}`,
    row.billed === '1' ? 'yes' : 'no',
    number('received_ms'),
    number('status'),
    next,
    row.because,
  ];
  return { atMs: numberIn(row, 'sent_ms'), cells };
}

function refusalRow(entry: AuditEntry, clientStartMs: number): StoryRow {
  const atMs = entry.t + clientStartMs;
  const next = entry.wait_ms === undefined ? 'stop' : `waits ${entry.wait_ms} ms`;
  const asked = `(${shown(atMs)})`;
  return {
    atMs,
    cells: [undefined, entry.attempt, asked, undefined, 'not sent', 'no', undefined, undefined, next, entry.event],
  };
}

function outcome(attempts: readonly TextRow[], lastWord: string): string {
  const billed = attempts.filter((row) => row.billed === '1').length;
  const successes = attempts.filter((row) => row.reply_class === 'ok').length;
  const cost = `${attempts.length} calls, ${billed} billed`;
  if (successes > 0) return `${mark.good('done')}: ${cost}${successes > 1 ? `, fetched ${successes} times` : ''}`;
  return `${mark.bad('not done')}: ${cost}; last word: ${lastWord}`;
}
