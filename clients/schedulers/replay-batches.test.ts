// Holds the naive replay: the whole batch again in every pass, what succeeded included, until all did or the passes are used up.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { SimulatedClock } from '../../bench/clocks/simulated-clock.ts';
import { attemptCap } from '../policies/attempt-cap.ts';
import { callBudget } from '../policies/call-budget.ts';
import { immediate } from '../policies/immediate.ts';
import { quotaStop } from '../policies/quota-stop.ts';
import { runTrial, type Trial } from '../testing.ts';
import type { ReplayBatchesSettings } from './replay-batches.ts';

const naivePolicies = () => [attemptCap(2), immediate()];

async function replay(settings: Partial<ReplayBatchesSettings>, trial: Omit<Trial, 'policies'> & Partial<Trial>) {
  const clock = new SimulatedClock(0, 1e9);
  const scheduler = {
    kind: 'replay_batches',
    concurrency: 3,
    batchSize: 5,
    maxPasses: 4,
    pauseAfterPassMs: 0,
    skipDone: false,
  } as const;
  const stage = await runTrial(clock, { ...scheduler, ...settings }, { policies: naivePolicies(), ...trial });
  return { ...stage, endedMs: clock.nowMs(), items: stage.transport.sent.map(({ item }) => item) };
}

test('all well: every item once, batch by batch', async () => {
  const { items, task } = await replay({ concurrency: 1 }, { items: 12, script: () => 'ok' });
  assert.deepEqual(items, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  assert.deepEqual(
    task.progress.map(({ batch, passes, complete, attempts }) => [batch, passes, complete, attempts]),
    [
      [1, 1, true, 5],
      [2, 1, true, 10],
      [3, 1, true, 12],
    ],
  );
});

test('one item that fails once too often makes the whole batch go again', async () => {
  const script = (item: number, count: number) => (item === 3 && count <= 2 ? 'error500' : 'ok');
  const { items, task } = await replay({ concurrency: 1 }, { items: 6, script });
  assert.deepEqual(items, [1, 2, 3, 3, 4, 5, 1, 2, 3, 4, 5, 6]);
  assert.deepEqual([task.done.size, task.abandoned.size], [6, 0]);
  assert.equal(task.progress[0]?.passes, 2);
});

test('an item that always fails costs 2 attempts in each of 4 passes: 8 requests, and its batch 4 of all others', async () => {
  const script = (item: number) => (item === 3 ? 'error500' : 'ok');
  const { transport, task } = await replay({}, { items: 7, script });
  assert.deepEqual(
    [1, 2, 3, 4, 5, 6, 7].map((item) => transport.count(item)),
    [4, 4, 8, 4, 4, 1, 1],
  );
  assert.deepEqual([...task.abandoned], [3]);
  assert.deepEqual([...task.done], [1, 2, 4, 5, 6, 7]);
  const [first, second] = task.progress;
  assert.deepEqual(first, {
    batch: 1,
    passes: 4,
    complete: false,
    attempts: 24,
    ok: 16,
    limit429: 0,
    quota429: 0,
    error500: 8,
  });
  assert.deepEqual([second?.batch, second?.passes, second?.complete], [2, 1, true]);
});

test('an item that succeeded once counts as done, though it fails when asked again', async () => {
  const script = (item: number, count: number) => (item === 1 ? (count === 1 ? 'ok' : 'error500') : 'error503');
  const { transport, task } = await replay({ batchSize: 2, maxPasses: 3 }, { items: 2, script });
  assert.equal(transport.count(1), 1 + 2 + 2);
  assert.deepEqual([[...task.done], [...task.abandoned]], [[1], [2]]);
});

test('the last request of a batch comes back before the first of the next is sent, and before the next pass', async () => {
  const latencyMs = (item: number) => item * 10;
  const { transport } = await replay({ batchSize: 3, maxPasses: 2 }, { items: 6, script: () => 'other', latencyMs });
  const firstOf = (item: number) => transport.sent.filter((sent) => sent.item === item).map(({ atMs }) => atMs);
  assert.deepEqual(firstOf(1), [0, 10, 60, 70]);
  assert.deepEqual(firstOf(4), [120, 160, 240, 280]);
});

test('the pause comes after each pass', async () => {
  const { endedMs, transport } = await replay(
    { concurrency: 1, pauseAfterPassMs: 1000, maxPasses: 2 },
    { items: 1, script: () => 'error500' },
  );
  assert.deepEqual(
    transport.sent.map(({ atMs }) => atMs),
    [0, 10, 1020, 1030],
  );
  assert.equal(endedMs, 2040);
});

test('any items, batches and workers: requests as by the rule, and no more at once than workers', async () => {
  const plan = fc.record({
    concurrency: fc.integer({ min: 1, max: 8 }),
    batchSize: fc.integer({ min: 1, max: 7 }),
    maxPasses: fc.integer({ min: 1, max: 4 }),
    failures: fc.array(fc.nat({ max: 9 }), { maxLength: 20, size: 'max' }),
  });
  await fc.assert(
    fc.asyncProperty(plan, async ({ failures, ...settings }) => {
      const script = (item: number, count: number) => (count > (failures[item - 1] ?? 0) ? 'ok' : 'error500');
      const latencyMs = (item: number) => 1 + ((item * 37) % 50);
      const { task, transport } = await replay(settings, { items: failures.length, script, latencyMs });
      for (let first = 0; first < failures.length; first += settings.batchSize) {
        const batch = failures.slice(first, first + settings.batchSize);
        const needed = Math.max(...batch.map((count) => Math.floor(count / 2) + 1));
        const passes = Math.min(needed, settings.maxPasses);
        for (const [index, count] of batch.entries()) {
          const item = first + index + 1;
          const expected = passes + Math.min(passes, Math.ceil(count / 2));
          assert.equal(transport.count(item), expected, `item ${item}`);
        }
      }
      assert.ok(transport.maxInFlight <= settings.concurrency);
      assert.equal(task.done.size + task.abandoned.size, failures.length);
    }),
    { numRuns: 80 },
  );
});

test('a quota rejection ends the task: nothing is sent any more, and no further batch begins', async () => {
  const script = (item: number) => (item === 7 ? 'quota429' : 'ok');
  const policies = [quotaStop(), ...naivePolicies()];
  const { items, task } = await replay({ concurrency: 1 }, { items: 20, script, policies });
  assert.deepEqual(items, [1, 2, 3, 4, 5, 6, 7]);
  assert.equal(task.stopReason, 'quota_exhausted');
  assert.deepEqual([...task.abandoned], []);
  assert.equal(task.progress.length, 2);
});

test('a budget is spent to the unit, for any number of workers', async () => {
  for (const concurrency of [1, 2, 5, 12]) {
    for (const calls of [0, 1, 17, 63]) {
      const policies = [callBudget(calls), ...naivePolicies()];
      const settings = { concurrency, batchSize: 8 };
      const { transport } = await replay(settings, { items: 16, script: () => 'error500', policies });
      assert.equal(transport.sent.length, calls, `${concurrency} workers, ${calls} calls`);
    }
  }
});

test('no items: nothing is sent and nothing waited for', async () => {
  const { endedMs, task, transport } = await replay({ pauseAfterPassMs: 1000 }, { items: 0, script: () => 'ok' });
  assert.deepEqual([endedMs, transport.sent.length, task.progress.length], [0, 0, 0]);
});

test('a transport that rejects makes the run reject', async () => {
  const script = (item: number) => (item === 4 ? new Error('socket gone') : 'ok');
  await assert.rejects(replay({}, { items: 20, script }), /socket gone/);
});

test('a task that stops sleeps no pause to its end, and abandons nothing that it never asked for', async () => {
  const quota = [quotaStop(), ...naivePolicies()];
  const paused = await replay({ pauseAfterPassMs: 60_000 }, { items: 5, script: () => 'quota429', policies: quota });
  assert.equal(paused.endedMs, 10);
  const policies = [callBudget(1), ...naivePolicies()];
  const { task } = await replay({ maxPasses: 1, batchSize: 10 }, { items: 10, script: () => 'error500', policies });
  assert.equal(task.stopReason, 'budget_exceeded');
  assert.deepEqual([...task.abandoned], []);
});
