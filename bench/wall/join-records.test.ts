// Records of two sides that never met: what belongs together is put together, and what does not is told.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { parse } from 'csv-parse/sync';
import { smallStorm, temporaryFolder } from '../testing.ts';
import { joinRecords, wallMatch } from './join-records.ts';
import type { AttemptRecord, PlatformRecord } from './records.ts';

const DONE = { kind: 'stop', reason: 'done', scope: 'operation' } as const;

const attempt = (ordinal: number, changes: Partial<AttemptRecord> = {}): AttemptRecord => ({
  ...{ ordinal, item: ordinal, pass: 1, attempt: 1, sentMs: 100 * ordinal, receivedMs: 100 * ordinal + 60 },
  ...{ status: 200, replyClass: 'ok', decision: DONE },
  ...changes,
});
const record = (ordinal: number, changes: Partial<PlatformRecord> = {}): PlatformRecord => ({
  ...{ client: 'guarded', ordinal, arrival: ordinal, arrivedMs: 100 * ordinal + 2, settledMs: 100 * ordinal + 55 },
  ...{ verdict: 'ok', billed: 1, latencyMs: 50, unheard: 0 },
  ...changes,
});
const NO_REPLY = { replyClass: 'no_reply', noReply: 'cancelled' } as const;

/** What the client says, what the platform says, and what that is. */
const MATCHES = [
  [{ replyClass: 'ok' }, { verdict: 'ok', unheard: 0 }, 'matched'],
  [{ replyClass: 'limit429' }, { verdict: 'soft', unheard: 0 }, 'matched'],
  [{ replyClass: 'ok' }, { verdict: 'edge', unheard: 0 }, 'class_differs'],
  [{ replyClass: 'ok' }, { verdict: 'ok', unheard: 1 }, 'class_differs'],
  [{ replyClass: 'ok' }, undefined, 'client_only'],
  [NO_REPLY, { verdict: 'ok', unheard: 1 }, 'unheard'],
  [NO_REPLY, { verdict: 'ok', unheard: 0 }, 'crossed'],
  [NO_REPLY, undefined, 'withdrawn'],
  [{ replyClass: 'no_reply', noReply: 'reset' }, { verdict: 'ok', unheard: 1 }, 'unheard'],
  // Nobody gave these up, so nothing explains them.
  [{ replyClass: 'no_reply', noReply: 'reset' }, { verdict: 'ok', unheard: 0 }, 'class_differs'],
  [{ replyClass: 'no_reply', noReply: 'reset' }, undefined, 'client_only'],
  [{ replyClass: 'never_arrived', noReply: 'connect_failure' }, undefined, 'client_only'],
] as const;

test('only who gave up by itself may cross with the other side', () => {
  for (const [client, platform, match] of MATCHES)
    assert.equal(wallMatch(client, platform), match, JSON.stringify([client, platform]));
});

async function joined(t: { after(done: () => void): void }, attempts: AttemptRecord[], records: PlatformRecord[]) {
  const folder = temporaryFolder(t);
  const files = { platform: join(folder, 'platform'), client: join(folder, 'client') };
  const lines = (all: readonly object[]) => all.map((each) => `${JSON.stringify(each)}\n`).join('');
  writeFileSync(files.platform, lines(records));
  writeFileSync(files.client, lines(attempts));
  const result = await joinRecords(files, folder, 'guarded', smallStorm());
  const rows = parse(readFileSync(join(folder, 'requests.csv'), 'utf8'), { columns: true }) as Record<string, string>[];
  return { result, rows, histogram: readFileSync(join(folder, 'latency.hgrm'), 'utf8') };
}

test('rows come in the order of the client, whatever the order of the platform’s records, with both sides in them', async (t) => {
  const attempts = [2, 1, 4, 3].map((ordinal) => attempt(ordinal));
  const records = [3, 4, 1, 2].map((ordinal) => record(ordinal, { arrival: 10 - ordinal, retryAfter: '1' }));
  const { result, rows, histogram } = await joined(t, attempts, records);
  assert.equal(result.unmatched, 0);
  assert.equal(result.overheadMs, 10);
  assert.deepEqual(
    rows.map(({ request_id, arrival, match }) => [request_id, arrival, match]),
    [
      ['guarded-2', '8', 'matched'],
      ['guarded-1', '9', 'matched'],
      ['guarded-4', '6', 'matched'],
      ['guarded-3', '7', 'matched'],
    ],
  );
  assert.deepEqual(
    [rows[0]?.sent_ms, rows[0]?.arrived_ms, rows[0]?.received_ms, rows[0]?.retry_after],
    ['200', '202', '260', '1'],
  );
  assert.match(histogram, /Total count {4}= +4\]/);
});

test('what only one side knows, what is told twice and whose client is unknown is unmatched', async (t) => {
  const attempts = [
    attempt(1),
    attempt(2),
    attempt(3, { ...NO_REPLY, receivedMs: 310 }),
    attempt(4, { ...NO_REPLY, receivedMs: 410 }),
  ];
  const records = [
    record(1),
    record(1),
    record(3, { settledMs: 90_000, unheard: 1 }),
    record(9),
    record(2, { client: 'naive' }),
  ];
  const { result, rows } = await joined(t, attempts, records);
  assert.deepEqual(
    rows.map(({ request_id, match }) => [request_id, match]),
    [
      ['guarded-1', 'matched'],
      ['guarded-2', 'client_only'],
      ['guarded-3', 'unheard'],
      ['guarded-4', 'withdrawn'],
      ['guarded-1', 'platform_only'],
      ['guarded-9', 'platform_only'],
      ['naive-2', 'platform_only'],
    ],
  );
  assert.equal(result.unmatched, 4);
  assert.equal(result.joined.rows[0]?.withdrawn, 1);
});

test('a record that is settled long after its request was given up is not looked for to the end of the night', async (t) => {
  const attempts = [attempt(1, { ...NO_REPLY, receivedMs: 110 }), attempt(2)];
  const records = [record(2), record(3, { settledMs: 10_000_000 }), record(1, { settledMs: 10_000_001, unheard: 1 })];
  const { rows } = await joined(t, attempts, records);
  assert.deepEqual(
    rows.map(({ match }) => match),
    ['withdrawn', 'matched', 'platform_only', 'platform_only'],
  );
});
