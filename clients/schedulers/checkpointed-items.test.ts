// Holds the guarded scheduler: nothing that is done is asked again, the limit on requests at once, and who waits for whom.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { SimulatedClock } from '../../bench/clocks/simulated-clock.ts';
import { attemptCap } from '../policies/attempt-cap.ts';
import { callBudget } from '../policies/call-budget.ts';
import { deadline } from '../policies/deadline.ts';
import { exponentialBackoff } from '../policies/exponential-backoff.ts';
import { fixedBackoff } from '../policies/fixed-backoff.ts';
import { immediate } from '../policies/immediate.ts';
import { quotaStop } from '../policies/quota-stop.ts';
import type { Operation } from '../policy.ts';
import { runScheduler } from '../strategies/run-scheduler.ts';
import { runTrial, stageOf, type Trial } from '../testing.ts';

const HOLDING = [true, false] as const;

/** Waits of 1, 2, 4 s and so on. */
const backoff = () => exponentialBackoff({ baseMs: 1000, capMs: 60_000, jitterMs: [0, 0] }, () => 0);
const patient = () => [attemptCap(4), backoff()];

async function runItems(concurrency: number, holdSlotWhileWaiting: boolean, trial: Trial) {
  const clock = new SimulatedClock(0, 1e9);
  const scheduler = { kind: 'checkpointed_items', concurrency, holdSlotWhileWaiting } as const;
  const stage = await runTrial(clock, scheduler, trial);
  const sentAtMs = (item: number) => stage.transport.sent.filter((sent) => sent.item === item).map(({ atMs }) => atMs);
  return { ...stage, endedMs: clock.nowMs(), sentAtMs };
}

test('each item is asked until it succeeds and never again; one that stops is abandoned and left on record', async () => {
  for (const holding of HOLDING) {
    const failures = [0, 2, 9, 3, 4, 0];
    const script = (item: number, count: number) => (count > (failures[item - 1] ?? 0) ? 'ok' : 'error500');
    const { task, transport } = await runItems(3, holding, { items: 6, script, policies: patient() });
    assert.deepEqual(
      [1, 2, 3, 4, 5, 6].map((item) => transport.count(item)),
      [1, 3, 4, 4, 4, 1],
    );
    assert.deepEqual([...task.done], [1, 2, 4, 6]);
    assert.deepEqual([...task.abandoned], [3, 5]);
    assert.equal(task.stopReason, undefined);
  }
});

test('items begin in order', async () => {
  for (const holding of HOLDING) {
    const { transport } = await runItems(1, holding, { items: 5, script: () => 'ok', policies: [] });
    assert.deepEqual(
      transport.sent.map(({ item, atMs }) => [item, atMs]),
      [1, 2, 3, 4, 5].map((item) => [item, (item - 1) * 10]),
    );
  }
});

test('no more requests at once than the concurrency, and every item accounted for, in any night', async () => {
  const night = fc.record({
    concurrency: fc.integer({ min: 1, max: 10 }),
    holding: fc.boolean(),
    prepMs: fc.nat({ max: 20 }),
    failures: fc.array(fc.nat({ max: 6 }), { maxLength: 40, size: 'max' }),
  });
  await fc.assert(
    fc.asyncProperty(night, async ({ concurrency, holding, prepMs, failures }) => {
      const script = (item: number, count: number) => (count > (failures[item - 1] ?? 0) ? 'ok' : 'limit429');
      const latencyMs = (item: number) => (item * 37) % 200;
      const trial = { items: failures.length, script, policies: patient(), prepMs, latencyMs };
      const { task, transport } = await runItems(concurrency, holding, trial);
      assert.ok(transport.maxInFlight <= concurrency, `${transport.maxInFlight} at once`);
      for (const [index, count] of failures.entries()) {
        assert.equal(transport.count(index + 1), Math.min(count + 1, 4));
        assert.equal(task.done.has(index + 1), count < 4);
        assert.equal(task.abandoned.has(index + 1), count >= 4);
      }
    }),
    { numRuns: 80 },
  );
});

test('the limit is used: as many requests at once as it allows', async () => {
  for (const holding of HOLDING) {
    for (const concurrency of [1, 4, 9]) {
      const { transport, endedMs } = await runItems(concurrency, holding, {
        items: 36,
        script: () => 'ok',
        policies: [],
      });
      assert.equal(transport.maxInFlight, concurrency);
      assert.equal(endedMs, (36 / concurrency) * 10);
    }
  }
});

test('one slot, item 1 in backoff, item 2 quick: whether item 2 waits is the setting', async () => {
  const fails1 = (item: number) => (item === 1 ? 'error503' : 'ok');
  const trial = () => ({
    items: 2,
    script: fails1,
    policies: patient(),
  });
  const held = await runItems(1, true, trial());
  assert.deepEqual(held.sentAtMs(1), [0, 1010, 3020, 7030]);
  assert.deepEqual(held.sentAtMs(2), [7040]);
  const released = await runItems(1, false, trial());
  assert.deepEqual(released.sentAtMs(1), [0, 1010, 3020, 7030]);
  assert.deepEqual(released.sentAtMs(2), [10]);
  for (const { transport, endedMs } of [held, released]) assert.equal(transport.maxInFlight, 1, `${endedMs} ms`);
});

test('an item whose wait is over queues for the slot like any other', async () => {
  const script = (item: number, count: number) => (item === 1 && count === 1 ? 'error503' : 'ok');
  const latencyMs = (item: number) => (item === 1 ? 10 : 600);
  const { sentAtMs, transport } = await runItems(1, false, { items: 4, script, policies: patient(), latencyMs });
  assert.deepEqual([1, 2, 3, 4].map(sentAtMs), [[0, 1810], [10], [610], [1210]]);
  assert.equal(transport.maxInFlight, 1);
});

test('slots given back while waiting: the queue of waiting items is bounded', async () => {
  const trial = {
    items: 1500,
    script: () => 'error500' as const,
    policies: [attemptCap(2), backoff()],
    latencyMs: () => 0,
  };
  const { transport } = await runItems(50, false, trial);
  const early = transport.sent.filter(({ atMs }) => atMs < 1000);
  assert.deepEqual([early.length, transport.sent.length], [1000, 3000]);
});

test('a budget is spent to the unit, for any concurrency, held slot or not', async () => {
  for (const holding of HOLDING) {
    for (const concurrency of [1, 3, 8, 100]) {
      for (const calls of [0, 1, 90, 1000]) {
        const policies = [callBudget(calls), attemptCap(5), immediate()];
        const trial = {
          items: 300,
          script: () => 'error500' as const,
          policies,
          latencyMs: (item: number) => item % 7,
        };
        const { task, transport } = await runItems(concurrency, holding, trial);
        assert.equal(transport.sent.length, calls);
        assert.equal(task.tally.attempts, calls);
        assert.equal(task.stopReason, 'budget_exceeded');
      }
    }
  }
});

test('a budget that is just enough stops nothing', async () => {
  const policies = [callBudget(20), attemptCap(2), immediate()];
  const { task, transport } = await runItems(4, true, { items: 10, script: () => 'error500', policies });
  assert.deepEqual([transport.sent.length, task.stopReason, task.abandoned.size], [20, undefined, 10]);
});

test('a stop of the task wakes all waits, ends at once, and abandons no item', async () => {
  for (const holding of HOLDING) {
    const script = (item: number) => (item === 8 ? 'quota429' : 'error503');
    const policies = [quotaStop(), ...patient()];
    const latencyMs = (item: number) => (item === 8 ? 500 : 10);
    const { task, transport, endedMs } = await runItems(8, holding, { items: 8, script, policies, latencyMs });
    assert.equal(task.stopReason, 'quota_exhausted');
    assert.equal(endedMs, 500);
    assert.equal(transport.sent.length, 8);
    assert.deepEqual([task.done.size, task.abandoned.size], [0, 0]);
  }
});

test('a transport that rejects makes the run reject, held slot or not, whatever the others do', async () => {
  for (const holding of HOLDING) {
    const script = (item: number) => (item === 4 ? new Error('socket gone') : 'error503');
    await assert.rejects(runItems(3, holding, { items: 20, script, policies: patient() }), /socket gone/);
  }
});

test('no items: it ends at once', async () => {
  for (const holding of HOLDING) {
    const { endedMs, transport } = await runItems(4, holding, { items: 0, script: () => 'ok', policies: patient() });
    assert.deepEqual([endedMs, transport.sent.length], [0, 0]);
  }
});

/** Deadline at 1,000 after the first attempt, and no start in the last 100 ms of it. */
const bounded = () => deadline({ budgetMs: 1000, reserveMs: 100, attemptMs: null });

test('an item whose time runs out in the queue leaves it then, and its place there does nothing', async () => {
  for (const [latency2, sent1, ended1] of [
    // Sent at 50, so that 900 + 50 is the last start and 900 the last moment to prepare; its wait ends at 160,
    // behind items 2 and 3, the latter of which takes 60.
    [730, [50, 950], 960],
    [731, [50], 901],
    [5000, [50], 901],
  ] as const) {
    const script = (item: number) => (item === 1 ? 'error503' : 'ok');
    const policies = [attemptCap(2), fixedBackoff({ waitMs: 100 }), bounded()];
    const endedMs = [0, 0, 0];
    const latencyMs = (item: number) => (item === 2 ? latency2 : 10);
    const clock = new SimulatedClock(0, 1e9);
    const ended = { name: 'ended', ended: ({ item }: Operation) => endedMs.splice(item - 1, 1, clock.nowMs()) };
    const scheduler = { kind: 'checkpointed_items', concurrency: 1, holdSlotWhileWaiting: false } as const;
    const trial = { items: 3, script, policies: [...policies, ended], prepMs: 50, latencyMs };
    const { transport, task } = await runTrial(clock, scheduler, trial);
    const sentAtMs = (item: number) => transport.sent.filter((sent) => sent.item === item).map(({ atMs }) => atMs);
    assert.deepEqual([sentAtMs(1), endedMs[0]], [sent1, ended1], `${latency2} ms`);
    assert.deepEqual([[...task.done], [...task.abandoned]], [[2, 3], [1]]);
    assert.equal(transport.maxInFlight, 1);
  }
});

test('an item that queues when the task is stopped ends with the task, not by its deadline', async () => {
  const policies = [attemptCap(2), fixedBackoff({ waitMs: 100 }), bounded()];
  const latencyMs = (item: number) => (item === 2 ? 5000 : 10);
  const clock = new SimulatedClock(0, 1e9);
  const { task } = stageOf(clock, { items: 2, script: () => 'error503', policies, latencyMs });
  // Item 1 queues behind item 2, which holds the slot until long after the deadline of item 1.
  clock.schedule(500, () => task.stop('cancelled'), undefined);
  const scheduler = { kind: 'checkpointed_items', concurrency: 1, holdSlotWhileWaiting: false } as const;
  await clock.run(() => runScheduler(task, scheduler));
  assert.deepEqual([task.stopReason, [...task.abandoned]], ['cancelled', [2]]);
});

test('a thousand items that queue for one slot do not prepare one by one when the task has stopped', async () => {
  const trial: Trial = { items: 1000, script: () => 'quota429', policies: [quotaStop(), ...patient()], prepMs: 100 };
  const { endedMs, transport } = await runItems(1, false, trial);
  assert.equal(transport.sent.length, 1);
  assert.equal(endedMs, 110);
});
