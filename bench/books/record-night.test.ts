// A recorded night: its audit log has the published fields, its requests are those of the books, and nothing is unmatched.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { parse } from 'csv-parse/sync';
import { smallStorm, temporaryFolder } from '../testing.ts';
import { recordNight } from './record-night.ts';
import { platformTotals } from './summary.ts';

test('the audit log of the guarded client has the fields of the published one', async (t) => {
  const folder = join(temporaryFolder(t), 'guarded');
  const { night, unmatched } = await recordNight(
    { scenario: smallStorm(), strategy: 'guarded', seed: 1, clock: 'virtual' },
    folder,
  );
  assert.equal(unmatched, 0);
  const text = readFileSync(join(folder, 'audit.jsonl'), 'utf8');
  const entries = text
    .trimEnd()
    .split('\n')
    .map((each) => JSON.parse(each) as Record<string, unknown>);
  assert.equal(entries.length, platformTotals(night).total);
  for (const entry of entries) {
    const fields = Object.keys(entry);
    const event = String(entry.event);
    const wait = event === 'backoff' ? ['wait_ms'] : event === 'retry_after' ? ['wait_s'] : [];
    assert.deepEqual(fields, ['t', 'task', 'id', 'attempt', 'status', ...wait, 'event']);
    if (event === 'retry_after') assert.deepEqual([entry.status, entry.wait_s], [429, 2]);
    if (event === 'backoff') assert.equal(entry.status, 500);
  }
  const events = new Set(entries.map((entry) => entry.event));
  assert.deepEqual([...events].sort(), ['attempts_exhausted', 'backoff', 'ok', 'retry_after']);
});

test('a refusal by the budget leaves a trace: an entry without a status', async (t) => {
  const folder = join(temporaryFolder(t), 'guarded');
  const scenario = smallStorm({ 'strategies.guarded.set.call_budget': { calls: 50 } });
  await recordNight({ scenario, strategy: 'guarded', seed: 1, clock: 'virtual' }, folder);
  const last = readFileSync(join(folder, 'audit.jsonl'), 'utf8').trimEnd().split('\n').at(-1) ?? '';
  const refusals = readFileSync(join(folder, 'audit.jsonl'), 'utf8').match(/"status":null,"event":"budget_exceeded"/g);
  assert.equal(refusals?.length, 1, last);
});

test('requests.csv has a row a request, numbered as the client sent them', async (t) => {
  const folder = join(temporaryFolder(t), 'naive');
  const { night } = await recordNight(
    { scenario: smallStorm(), strategy: 'naive', seed: 1, clock: 'lockstep' },
    folder,
  );
  const rows: Record<string, string>[] = parse(readFileSync(join(folder, 'requests.csv'), 'utf8'), { columns: true });
  assert.equal(rows.length, platformTotals(night).total);
  assert.equal(new Set(rows.map((row) => row.request_id)).size, rows.length);
  assert.ok(rows.every((row) => row.match === 'matched'));
});
