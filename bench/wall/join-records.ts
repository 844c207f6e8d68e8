// The records of platform and client put together by request id when both have ended: requests.csv, histograms, and what lies
// between the two books. Both files are read as streams; in memory is only what one side is ahead of the other.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { requestId } from '../../platform-sim/wire.ts';
import { CsvFile } from '../books/csv.ts';
import { LatencyHistograms } from '../books/histograms.ts';
import { JoinedMinutes } from '../books/joined-minutes.ts';
import { jsonLines } from '../books/read-json-lines.ts';
import {
  AGREED,
  decisionColumns,
  EMPTY_ROW,
  type Match,
  REQUEST_COLUMNS,
  type RequestRow,
  SEEN_AS,
} from '../books/request-join.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { AttemptRecord, PlatformRecord } from './records.ts';

/** On real time requests do not arrive in the order in which they were sent, so the order is a column of its own. */
type WallRow = RequestRow & { readonly arrival: number | undefined };
const WALL_COLUMNS = [...REQUEST_COLUMNS, 'arrival'] as const;

export interface JoinedRecords {
  readonly joined: JoinedMinutes;
  /** Requests whose two records do not match. */
  readonly unmatched: number;
  /** Mean over the matched requests of what a reply took beyond the latency that the platform meant, ms of scenario time. */
  readonly overheadMs: number;
}

/** Scenario time after a request was given up in which a record of it is looked for, and the longest latency on top. */
const LATE_MS = 600_000;

/**
 * @param folder gets requests.csv and the histograms
 * @param client name of the one client of the night
 */
export async function joinRecords(
  files: { readonly platform: string; readonly client: string },
  folder: string,
  client: string,
  { profile }: Scenario,
): Promise<JoinedRecords> {
  const { latencyMs, rejectionLatencyMs, overheadMs } = profile;
  const lateMs = LATE_MS + Math.max(latencyMs[1], rejectionLatencyMs[1]) + overheadMs;
  const platform = new PlatformRecords(files.platform, client);
  const fold = new Fold(folder, client, profile.epochMs);
  try {
    for await (const attempt of jsonLines<AttemptRecord>(files.client)) {
      const record = await platform.take(attempt.ordinal, attempt.receivedMs + lateMs);
      fold.add(attempt, record);
    }
    for (const record of await platform.rest()) fold.addUnknown(record);
  } finally {
    fold.close();
  }
  return fold.result();
}

/** The platform's records, read as far as is needed. */
class PlatformRecords {
  readonly #lines: AsyncGenerator<PlatformRecord, undefined>;
  readonly #client: string;
  readonly #ahead = new Map<number, PlatformRecord>();
  /** Told twice, or of a client that is none of this night. */
  readonly #strange: PlatformRecord[] = [];
  #readUntilMs = Number.NEGATIVE_INFINITY;

  constructor(path: string, client: string) {
    this.#lines = jsonLines<PlatformRecord>(path);
    this.#client = client;
  }

  /** The record of a request, which was settled at `untilMs` at the latest. */
  async take(ordinal: number, untilMs: number): Promise<PlatformRecord | undefined> {
    while (!this.#ahead.has(ordinal) && this.#readUntilMs <= untilMs && (await this.#read()));
    const record = this.#ahead.get(ordinal);
    this.#ahead.delete(ordinal);
    return record;
  }

  /** What nobody asked for. */
  async rest(): Promise<readonly PlatformRecord[]> {
    while (await this.#read());
    return [...this.#ahead.values(), ...this.#strange];
  }

  async #read(): Promise<boolean> {
    const { value } = await this.#lines.next();
    if (value === undefined) {
      this.#readUntilMs = Number.POSITIVE_INFINITY;
      return false;
    }
    this.#readUntilMs = value.settledMs;
    if (value.client !== this.#client || this.#ahead.has(value.ordinal)) this.#strange.push(value);
    else this.#ahead.set(value.ordinal, value);
    return true;
  }
}

/** Rows into their file, and what they sum up to. */
class Fold {
  readonly #folder: string;
  readonly #client: string;
  readonly #requests: CsvFile<(typeof WALL_COLUMNS)[number]>;
  readonly #latency: LatencyHistograms;
  readonly #joined = new JoinedMinutes();
  #unmatched = 0;
  #matched = 0;
  #beyondMs = 0;

  constructor(folder: string, client: string, epochMs: number) {
    this.#folder = folder;
    this.#client = client;
    this.#requests = new CsvFile(join(folder, 'requests.csv'), WALL_COLUMNS);
    this.#latency = new LatencyHistograms(epochMs);
  }

  add(attempt: AttemptRecord, record: PlatformRecord | undefined): void {
    const { ordinal, sentMs, receivedMs, replyClass, decision } = attempt;
    const match = wallMatch(attempt, record);
    const row: WallRow = {
      ...EMPTY_ROW,
      ...platformColumns(record),
      request_id: requestId(this.#client, ordinal),
      item: attempt.item,
      pass: attempt.pass,
      attempt: attempt.attempt,
      sent_ms: sentMs,
      received_ms: receivedMs,
      status: attempt.status,
      reply_class: replyClass,
      ...decisionColumns(decision),
      match,
    };
    this.#requests.add(row);
    this.#joined.add({ sentMs, arrivedMs: record?.arrivedMs, replyClass, verdict: record?.verdict, match });
    if (!AGREED.some((agreed) => agreed === match)) this.#unmatched++;
    if (match !== 'matched' || record === undefined) return;
    this.#latency.add(sentMs, receivedMs);
    this.#matched++;
    this.#beyondMs += receivedMs - sentMs - record.latencyMs;
  }

  addUnknown(record: PlatformRecord): void {
    this.#unmatched++;
    const { client, ordinal } = record;
    const head = { ...EMPTY_ROW, request_id: requestId(client, ordinal) };
    this.#requests.add({ ...head, ...platformColumns(record), match: 'platform_only' });
  }

  close(): void {
    this.#requests.close();
    writeFileSync(join(this.#folder, 'latency.hgrm'), this.#latency.hgrm(), { flag: 'wx' });
    writeFileSync(join(this.#folder, 'latency.hlog'), this.#latency.hlog(), { flag: 'wx' });
  }

  result(): JoinedRecords {
    const overheadMs = this.#matched === 0 ? 0 : this.#beyondMs / this.#matched;
    return { joined: this.#joined, unmatched: this.#unmatched, overheadMs };
  }
}

function platformColumns(record: PlatformRecord | undefined) {
  return {
    arrived_ms: record?.arrivedMs,
    verdict: record?.verdict,
    billed: record?.billed,
    latency_ms: record?.latencyMs,
    retry_after: record?.retryAfter,
    arrival: record?.arrival,
  };
}

/**
 * Who gives up on real time can not know what the other side is just doing: that is no discrepancy, but only for who gave up
 * by itself. A reply that was lost, a request that vanished or a class that differs are told.
 */
export function wallMatch(
  { replyClass, noReply }: Pick<AttemptRecord, 'replyClass' | 'noReply'>,
  record: Pick<PlatformRecord, 'verdict' | 'unheard'> | undefined,
): Match {
  const gaveUp = replyClass === 'no_reply' && noReply === 'cancelled';
  if (record === undefined) return gaveUp ? 'withdrawn' : 'client_only';
  if (replyClass === 'no_reply' && record.unheard === 1) return 'unheard';
  if (gaveUp) return 'crossed';
  return SEEN_AS[record.verdict] === replyClass && record.unheard === 0 ? 'matched' : 'class_differs';
}
