// The files of a client module or a driven program held against a recount of its requests. It keeps no audit and no decision
// log: what it decided is its own affair.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEFAULT_TOLD_WAIT, readToldWait } from '../../clients/retry-after/read-told-wait.ts';
import { toCsv } from '../books/csv.ts';
import { LatencyHistograms } from '../books/histograms.ts';
import { ItemTable } from '../books/items.ts';
import { BILLING_COLUMNS, billingRow, CLIENT_COLUMNS, LEDGER_COLUMNS } from '../books/night-files.ts';
import { discrepancies, ledgerByClass, ledgerByMinute, type TwoBooks } from '../books/reconcile.ts';
import type { NightSummary } from '../books/summary.ts';
import { csvRows, type TextRow } from '../results-folder/open.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { compareText, type Problem } from './compare-text.ts';
import { Recount } from './recount.ts';
import { endingDifferences } from './verify-endings.ts';
import type { VerifiedStrategy } from './verify-strategy.ts';
import { type DerivedFigures, summaryDifferences } from './verify-summary.ts';

export interface ClientToVerify {
  readonly folder: string;
  readonly client: string;
  /** What summary.json says of it. */
  readonly summary: NightSummary;
  readonly scenario: Scenario;
  readonly seed: number;
  /** Whether it is a whole program, whose items are what it asked for. */
  readonly driven: boolean;
}

export async function verifyClient(
  { folder, client, summary, scenario, seed, driven }: ClientToVerify,
  problem: Problem,
): Promise<VerifiedStrategy> {
  const { items, clientStartMs } = scenario.task;
  const recount = new Recount(client, (what) => problem(`${client}/requests.csv`, what));
  const latency = new LatencyHistograms(scenario.profile.epochMs);
  const trail = new ClientTrail(scenario.profile.epochMs, summary);
  for await (const row of csvRows(join(folder, 'requests.csv'))) {
    recount.add(row);
    for (const what of trail.add(row)) problem(`${client}/requests.csv`, `${row.request_id}: ${what}`);
    if (row.match === 'matched') latency.add(Number(row.sent_ms), Number(row.received_ms));
  }
  recount.close();
  const books: TwoBooks = {
    platform: { minutes: recount.platform },
    client: { minutes: recount.client },
    items: summary.items,
    operations: summary.operations,
  };
  const expected: Readonly<Record<string, string>> = {
    'billing-by-minute.csv': toCsv(BILLING_COLUMNS, recount.platform.map(billingRow)),
    'client-by-minute.csv': toCsv(CLIENT_COLUMNS, recount.client),
    'ledger-by-class.csv': toCsv(LEDGER_COLUMNS, ledgerByClass(books)),
    'ledger-by-minute.csv': toCsv(LEDGER_COLUMNS, ledgerByMinute(books)),
    'items.csv': trail.items.csv(),
    'latency.hgrm': latency.hgrm(),
    'latency.hlog': latency.hlog(),
  };
  for (const [file, text] of Object.entries(expected))
    compareText(`${client}/${file}`, readFileSync(join(folder, file), 'utf8'), text, 'requests', problem);
  for (const { scope, identity, difference } of discrepancies(books))
    problem(`${client}/requests.csv`, `${scope}: ${identity} is off by ${difference}`);
  const made = { seed, items: driven ? trail.items.rows.size : items, startedMs: clientStartMs };
  for (const what of summaryDifferences(summary, books, trail.figures(), made))
    problem('summary.json', `${client}: ${what}`);
  for (const what of endingDifferences(summary, driven, trail.itemMs(driven ? undefined : items)))
    problem('summary.json', `${client}: ${what}`);
  const endMs = (summary.started_s + summary.duration_s) * 1000;
  if (trail.lastMs > endMs)
    problem('summary.json', `${client}: ends at ${endMs} ms, but a request was under way at ${trail.lastMs} ms`);
  if (driven && recount.itemsDone.size !== summary.items.done)
    problem(
      'summary.json',
      `${client}: items.done is ${summary.items.done}, but ${recount.itemsDone.size} had a success`,
    );
  return { requests: recount.requests, identities: ledgerByClass(books).length + ledgerByMinute(books).length, books };
}

const STATUS: Readonly<Record<string, string>> = { ok: '200', error500: '500', error503: '503', no_reply: '' };

/** Of any other status nothing else on file speaks. */
function statusFits({ reply_class: seen = '', status }: TextRow): boolean {
  const expected = STATUS[seen] ?? (seen.endsWith('429') ? '429' : undefined);
  return expected === undefined
    ? !Object.values(STATUS)
        .concat('429')
        .includes(status ?? '')
    : status === expected;
}

/** When something was asked for and answered, in the order of the answers. */
interface Asked {
  readonly sentMs: number;
  readonly receivedMs: number;
  /** When it may be asked for again; undefined when the attempt brought no word. */
  readonly untilMs: number | undefined;
}

class ClientTrail {
  readonly #epochMs: number;
  readonly #summary: NightSummary;
  readonly #asked = new Map<string, Asked[]>();
  #lastBilled = { ordinal: 0, arrivedMs: 0 };
  #firstQuota: number | undefined;
  #requests = 0;
  readonly items = new ItemTable();
  lastMs = 0;

  constructor(epochMs: number, summary: NightSummary) {
    this.#epochMs = epochMs;
    this.#summary = summary;
  }

  /** Adds one attempt; returns what is wrong in it. */
  add(row: TextRow): string[] {
    this.#requests++;
    const receivedMs = Number(row.received_ms);
    const sentMs = Number(row.sent_ms);
    const attempt = this.items.add(Number(row.item), sentMs, receivedMs, row.reply_class === 'ok');
    const asked = { sentMs, receivedMs, untilMs: this.#untilMs(row, receivedMs) };
    this.lastMs = Math.max(this.lastMs, sentMs, receivedMs);
    const known = this.#asked.get(row.item ?? '');
    if (known === undefined) this.#asked.set(row.item ?? '', [asked]);
    else known.push(asked);
    const ordinal = Number(row.request_id?.split('-').at(-1));
    const arrivedMs = Number(row.arrived_ms);
    if (row.billed === '1' && ordinal > this.#lastBilled.ordinal) this.#lastBilled = { ordinal, arrivedMs };
    if (row.verdict === 'quota') this.#firstQuota = Math.min(this.#firstQuota ?? Number.POSITIVE_INFINITY, arrivedMs);
    const wrong = Number(row.attempt) === attempt ? [] : [`is attempt ${row.attempt} of its item, but the ${attempt}.`];
    if (row.pass !== '1') wrong.push(`pass ${row.pass} of a client that makes one`);
    if (!statusFits(row)) wrong.push(`status ${row.status || 'empty'} is not ${row.reply_class}`);
    return wrong;
  }

  /** From the first request for a thing to its first success, ms; of the items up to `total`, or of all things. */
  itemMs(total: number | undefined): number[] {
    return [...this.items.rows]
      .filter(([key]) => total === undefined || (key >= 1 && key <= total))
      .flatMap(([, { firstSentMs, doneMs }]) => (doneMs === undefined ? [] : [doneMs - firstSentMs]));
  }

  #untilMs(row: TextRow, receivedMs: number): number | undefined {
    if (row.reply_class === 'no_reply') return undefined;
    if (row.reply_class === 'ok' || row.retry_after === undefined || row.retry_after === '') return 0;
    const told = readToldWait({ 'retry-after': row.retry_after }, this.#epochMs + receivedMs, DEFAULT_TOLD_WAIT);
    return told.kind === 'seconds' || told.kind === 'date' ? receivedMs + told.waitMs : 0;
  }

  figures(): DerivedFigures {
    const gone = this.#firstQuota !== undefined;
    return {
      quotaGoneMs: gone && this.#lastBilled.ordinal > 0 ? this.#lastBilled.arrivedMs : this.#firstQuota,
      callsAfterQuota: gone ? this.#requests - this.#lastBilled.ordinal : 0,
      earlyRetries: this.#earlyRetries(),
      // What a client does without a request, and what it waits for, only it knows.
      operations: this.#summary.operations.begun - this.#summary.operations.not_sent,
      waits: {},
    };
  }

  /** Where a request went out in the very millisecond of another one's answer, the file does not say which came first. */
  #earlyRetries(): number {
    let early = 0;
    for (const asked of this.#asked.values()) {
      for (const each of asked) {
        const heard = asked.filter((other) => other !== each && other.untilMs !== undefined);
        const overlaps = (other: Asked) => other.sentMs < each.receivedMs && other.receivedMs > each.sentMs;
        if (asked.length > 1 && asked.some((other) => other !== each && overlaps(other)))
          return this.#summary.early_retries;
        const last = heard.filter((other) => other.receivedMs <= each.sentMs).at(-1);
        if (each.sentMs < (last?.untilMs ?? 0)) early++;
      }
    }
    return early;
  }
}
