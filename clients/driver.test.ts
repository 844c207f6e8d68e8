// Holds what the one driver does with decisions: it sends, waits and stops as told, and counts to the unit.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { SimulatedClock } from '../bench/clocks/simulated-clock.ts';
import { perform, startOperation, turn } from './driver.ts';
import { attemptCap } from './policies/attempt-cap.ts';
import { callBudget } from './policies/call-budget.ts';
import { exponentialBackoff } from './policies/exponential-backoff.ts';
import { immediate } from './policies/immediate.ts';
import { quotaStop } from './policies/quota-stop.ts';
import type { Operation, Policy, Stop } from './policy.ts';
import { Tally } from './tally.ts';
import { READING, Task, type TaskObserver } from './task.ts';
import { ScriptedTransport, stageOf, type Trial } from './testing.ts';

const NEVER = () => 0;
const BACKOFF = exponentialBackoff({ baseMs: 300, capMs: 5000, jitterMs: [0, 200] }, NEVER);
const EXHAUSTED: Stop = { kind: 'stop', reason: 'attempts_exhausted', scope: 'operation' };

const clockOf = () => new SimulatedClock(0, 1e9);

async function performOne(trial: Omit<Trial, 'items'>) {
  const clock = clockOf();
  const stage = stageOf(clock, { items: 1, ...trial });
  const operation = startOperation(stage.task, 1, 1);
  const stop = await clock.run(() => perform(stage.task, operation));
  return { ...stage, clock, operation, stop, sentAtMs: stage.transport.sent.map(({ atMs }) => atMs) };
}

test('always failing with a cap of 4: 4 requests, 3 waits, and no wait after the last failure', async () => {
  const { task, clock, stop, sentAtMs } = await performOne({
    script: () => 'error500',
    policies: [attemptCap(4), BACKOFF],
    prepMs: 20,
  });
  assert.deepEqual(stop, EXHAUSTED);
  assert.deepEqual(sentAtMs, [20, 350, 980, 2210]);
  assert.deepEqual(Object.fromEntries(task.tally.waits), { backoff: { count: 3, plannedMs: 300 + 600 + 1200 } });
  assert.equal(clock.nowMs(), 2220);
  assert.equal(task.tally.attempts, 4);
  assert.equal(task.tally.count('error500'), 4);
  assert.equal(task.stopReason, undefined);
});

test('success ends the operation, whichever attempt it was, and marks the item as done', async () => {
  for (const succeeds of [1, 2, 4]) {
    const { task, stop, transport, operation } = await performOne({
      script: (_, count) => (count === succeeds ? 'ok' : 'error503'),
      policies: [attemptCap(4), immediate()],
    });
    assert.equal(stop.reason, 'done');
    assert.equal(transport.sent.length, succeeds);
    assert.equal(operation.attempts, succeeds);
    assert.deepEqual([...task.done], [1]);
  }
});

test('a wait of nothing is no wait: immediate retries are not booked as one', async () => {
  const { task, sentAtMs } = await performOne({ script: () => 'error500', policies: [attemptCap(3), immediate()] });
  assert.deepEqual(sentAtMs, [0, 10, 20]);
  assert.equal(task.tally.waits.size, 0);
});

test('a client without policies tries once', async () => {
  const { stop, transport } = await performOne({ script: () => 'error500', policies: [] });
  assert.deepEqual(stop, EXHAUSTED);
  assert.equal(transport.sent.length, 1);
});

test('an admission that says wait is asked again after the wait, and nothing is sent meanwhile', async () => {
  const askedAtMs: number[] = [];
  const gate: Policy = {
    name: 'gate',
    admit: (_, nowMs) => {
      askedAtMs.push(nowMs);
      return nowMs < 1000 ? { kind: 'retry', waitMs: 400, because: 'gate_closed' } : undefined;
    },
  };
  const { task, stop, sentAtMs, operation } = await performOne({ script: () => 'ok', policies: [gate], prepMs: 5 });
  assert.equal(stop.reason, 'done');
  assert.deepEqual(askedAtMs, [5, 410, 815, 1220]);
  assert.deepEqual(sentAtMs, [1220]);
  assert.equal(operation.attempts, 1);
  assert.deepEqual(task.tally.waits.get('gate_closed'), { count: 3, plannedMs: 1200 });
});

test('a refusal for good ends the operation before anything is sent', async () => {
  const { task, stop, transport } = await performOne({ script: () => 'ok', policies: [callBudget(0)] });
  assert.deepEqual(stop, { kind: 'stop', reason: 'budget_exceeded', scope: 'task' });
  assert.equal(transport.sent.length, 0);
  assert.equal(task.tally.attempts, 0);
  assert.equal(task.stopReason, 'budget_exceeded');
});

test('a stopped task sends nothing any more', async () => {
  const clock = clockOf();
  const { task, transport } = stageOf(clock, { items: 1, script: () => 'ok', policies: [] });
  task.stop('cancelled');
  const stop = await clock.run(() => perform(task, startOperation(task, 1, 1)));
  assert.deepEqual(stop, { kind: 'stop', reason: 'cancelled', scope: 'task' });
  assert.equal(transport.sent.length, 0);
});

test('a stop of the task while a reply is under way: the reply is booked, and it is the last', async () => {
  const clock = clockOf();
  const policies = [attemptCap(4), immediate()];
  const { task, transport } = stageOf(clock, { items: 1, script: () => 'error500', policies });
  const stop = await clock.run(async () => {
    const performed = perform(task, startOperation(task, 1, 1));
    await clock.sleep(5);
    task.stop('cancelled');
    return performed;
  });
  assert.equal(stop.reason, 'cancelled');
  assert.equal(transport.sent.length, 1);
  assert.equal(task.tally.count('error500'), 1);
});

test('a transport that rejects makes the operation reject', async () => {
  const policies = [attemptCap(4), immediate()];
  const broken = performOne({ script: (_, count) => (count === 2 ? new Error('socket gone') : 'error500'), policies });
  await assert.rejects(broken, /socket gone/);
});

test('a turn is one attempt and does not wait', async () => {
  const clock = clockOf();
  const policies = [attemptCap(4), BACKOFF];
  const { task, transport } = stageOf(clock, { items: 1, script: () => 'error500', policies, prepMs: 20 });
  const operation = startOperation(task, 1, 1);
  const decision = await clock.run(() => turn(task, operation));
  assert.deepEqual(decision, { kind: 'retry', waitMs: 300, because: 'backoff' });
  assert.equal(operation.previousWaitMs, 300);
  assert.deepEqual([clock.nowMs(), transport.sent.length, task.tally.waits.size], [30, 1, 0]);
});

test('observer and policies are told of every attempt once, successes included, and of refusals', async () => {
  const clock = clockOf();
  const seen: string[] = [];
  const told: string[] = [];
  const settling: Policy = {
    name: 'settling',
    settle: ({ attempt, replyClass }) => told.push(`${attempt} ${replyClass}`),
  };
  const observer: TaskObserver = {
    attempt: (ordinal, { sentMs, receivedMs }, { kind }) => seen.push(`${ordinal} ${sentMs}-${receivedMs} ${kind}`),
    refused: (operation, nowMs, { kind }) => seen.push(`item ${operation.item} ${nowMs} ${kind}`),
  };
  const transport = new ScriptedTransport(
    clock,
    (_, count) => (count === 2 ? 'ok' : 'limit429'),
    () => 10,
  );
  const policies = [callBudget(2), settling, quotaStop(), immediate()];
  const task = new Task(
    { client: 'tested', items: 2, prepMs: 0, ...READING },
    { clock, transport },
    policies,
    new Tally(),
    observer,
  );
  await clock.run(async () => {
    for (const item of [1, 2]) await perform(task, startOperation(task, item, 1));
  });
  assert.deepEqual(seen, ['1 0-10 retry', '2 10-20 stop', 'item 2 20 stop']);
  assert.deepEqual(told, ['1 limit429', '2 ok']);
});

test('ordinals count the requests of the client, and the books count the same, for any script', async () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 6 }), { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(lengths, async (successAt) => {
      const clock = clockOf();
      const { task, transport } = stageOf(clock, {
        items: successAt.length,
        script: (item, count) => (count >= (successAt[item - 1] ?? 1) ? 'ok' : 'error500'),
        policies: [attemptCap(4), BACKOFF],
      });
      const operations: Operation[] = successAt.map((_, index) => startOperation(task, index + 1, 1));
      await clock.run(() => Promise.all(operations.map((operation) => perform(task, operation))));
      const expected = successAt.map((at) => Math.min(at, 4));
      assert.deepEqual(
        operations.map(({ attempts }) => attempts),
        expected,
      );
      const total = expected.reduce((sum, attempts) => sum + attempts, 0);
      assert.deepEqual(
        transport.sent.map(({ ordinal }) => ordinal),
        Array.from({ length: total }, (_, index) => index + 1),
      );
      assert.equal(task.tally.attempts, total);
      assert.equal(task.tally.count('ok'), successAt.filter((at) => at <= 4).length);
    }),
    { numRuns: 60 },
  );
});
