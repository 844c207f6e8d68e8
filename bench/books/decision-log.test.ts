// The decision log: for every decision what was known and why, in the fields of seed 002, and nothing that must stay secret.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { smallStorm, temporaryFolder } from '../testing.ts';
import type { DecisionEntry } from './decision-log.ts';
import { recordNight } from './record-night.ts';

const FIELDS = [
  't',
  'task',
  'id',
  'method',
  'attempt',
  'status',
  'told',
  'budget_left',
  'decision',
  'wait_ms',
  'reason',
];

async function decisionsOf(t: { after(done: () => void): void }, strategy: object): Promise<DecisionEntry[]> {
  const folder = join(temporaryFolder(t), 'tested');
  const scenario = smallStorm({ fitted: [], strategies: { tested: strategy }, 'task.items': 200 });
  await recordNight({ scenario, strategy: 'tested', seed: 1, clock: 'virtual' }, folder);
  const text = readFileSync(join(folder, 'decisions.jsonl'), 'utf8').trimEnd();
  return text.split('\n').map((line) => JSON.parse(line) as DecisionEntry);
}

test('every entry has the fields, the parsed wait and what is left of each budget', async (t) => {
  const entries = await decisionsOf(t, { extends: 'deadline', with: [{ policy: 'call_budget', calls: 400 }] });
  for (const entry of entries) assert.deepEqual(Object.keys(entry), FIELDS);
  const limited = entries.find(({ status }) => status === 429);
  assert.deepEqual(limited?.told, { kind: 'seconds', wait_ms: 2000 });
  assert.equal(limited?.reason, 'retry_after');
  const calls = entries.filter(({ status }) => status !== null).map(({ budget_left }) => budget_left.calls ?? -1);
  assert.equal(Math.max(...calls) < 400 && Math.min(...calls) >= 0, true);
  for (const { budget_left, attempt } of entries) {
    const left = budget_left.deadline_ms ?? -1;
    assert.ok(left >= 0 && left <= 10_000, `attempt ${attempt}: ${left} ms`);
  }
});

test('a refusal has a line too: no status, nothing told, and the reason', async (t) => {
  const entries = await decisionsOf(t, { extends: 'guarded', set: { call_budget: { calls: 20 } } });
  const refused = entries.filter(({ reason }) => reason === 'budget_exceeded');
  assert.ok(refused.length >= 1);
  assert.deepEqual([refused[0]?.status, refused[0]?.told, refused[0]?.decision], [null, null, 'stop']);
  assert.equal(refused[0]?.budget_left.calls, 0);
});

test('no header, key or body is in it', async (t) => {
  const entries = await decisionsOf(t, { extends: 'guarded', request: { method: 'POST', idempotency_keys: true } });
  const text = JSON.stringify(entries);
  for (const secret of ['authorization', 'idempotency', 'tested-1-', 'body', 'data', 'header']) {
    assert.ok(!text.toLowerCase().includes(secret), secret);
  }
  assert.ok(entries.every(({ method }) => method === 'POST'));
});
