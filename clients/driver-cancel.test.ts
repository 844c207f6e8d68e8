// Holds how an attempt is given up, by its limit or by the user: through the transport's signal, once, and with no timer
// and no listener left behind.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import test from 'node:test';
import { SimulatedClock } from '../bench/clocks/simulated-clock.ts';
import { InProcessTransport } from '../platform-sim/in-process.ts';
import { Platform } from '../platform-sim/platform.ts';
import { perform, startOperation, turn } from './driver.ts';
import { attemptCap } from './policies/attempt-cap.ts';
import { fixedBackoff } from './policies/fixed-backoff.ts';
import { immediate } from './policies/immediate.ts';
import type { AttemptResult, Policy } from './policy.ts';
import type { OutboundRequest, Reply, Transport } from './ports.ts';
import { Tally } from './tally.ts';
import { READING, Task } from './task.ts';

/** A simulated clock that knows which of the sleeps that it was asked for are still on. */
class WatchedClock extends SimulatedClock {
  asleep = 0;
  readonly signals = new Set<AbortSignal>();

  override async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal !== undefined) this.signals.add(signal);
    this.asleep++;
    await super.sleep(ms, signal);
    this.asleep--;
  }
}

/** Hands on, and keeps the signals that it was given. */
class WatchedTransport implements Transport {
  readonly signals: (AbortSignal | undefined)[] = [];
  readonly sentAtMs: number[] = [];
  readonly #inner: Transport;
  readonly #clock: SimulatedClock;

  constructor(inner: Transport, clock: SimulatedClock) {
    this.#inner = inner;
    this.#clock = clock;
  }

  send(request: OutboundRequest, signal?: AbortSignal): Promise<Reply> {
    this.signals.push(signal);
    this.sentAtMs.push(this.#clock.nowMs());
    return this.#inner.send(request, signal);
  }
}

const limit = (limitMs: (attempt: number) => number | undefined): Policy => ({
  name: 'limit',
  attemptLimitMs: ({ attempts }) => limitMs(attempts),
});

/** A task against a platform that answers every request with `status` after 200 ms. */
function stageOf(policies: readonly Policy[], status = 200, prepMs = 0) {
  const clock = new WatchedClock(0, 1e9);
  const profile = { epochMs: 0, latencyMs: [200, 200], rejectionLatencyMs: [20, 20], overheadMs: 0 } as const;
  const platform = new Platform({ ...profile, gates: [{ gate: 'scripted', replies: [{ status }], after: 'last' }] }, 1);
  const transport = new WatchedTransport(new InProcessTransport(platform, clock), clock);
  const task = new Task(
    { client: 'tested', items: 1, prepMs, ...READING },
    { clock, transport },
    policies,
    new Tally(),
  );
  const left = () => {
    const signals = [task.cancelled, ...clock.signals, ...transport.signals.flatMap((signal) => signal ?? [])];
    const listeners = signals.reduce((sum, signal) => sum + getEventListeners(signal, 'abort').length, 0);
    return { asleep: clock.asleep, listeners };
  };
  const row = () => platform.meter.rows()[0];
  return { clock, transport, task, left, row };
}

type Stage = ReturnType<typeof stageOf>;
const NOTHING_LEFT = { asleep: 0, listeners: 0 };
const performOne = ({ task }: Stage) => perform(task, startOperation(task, 1, 1));

test('an attempt over its limit is given up through the signal, and decided about like any other', async () => {
  const results: AttemptResult[] = [];
  const settling: Policy = { name: 'settling', settle: (result) => results.push(result) };
  const stage = stageOf([limit(() => 150), settling, attemptCap(3), fixedBackoff({ waitMs: 50 })]);
  const { clock, transport, task, left, row } = stage;
  const stop = await clock.run(() => performOne(stage));
  assert.equal(stop.reason, 'attempts_exhausted');
  assert.deepEqual(transport.sentAtMs, [0, 200, 400]);
  assert.deepEqual(
    transport.signals.map((signal) => signal?.aborted),
    [true, true, true],
  );
  assert.deepEqual(
    results.map(({ replyClass, reply, sentMs, receivedMs }) => [replyClass, reply, sentMs, receivedMs]),
    [0, 200, 400].map((sentMs) => ['no_reply', undefined, sentMs, sentMs + 150]),
  );
  assert.deepEqual([task.tally.count('no_reply'), row()?.ok, row()?.unheard_ok], [3, 3, 3]);
  assert.equal(clock.nowMs(), 550);
  assert.deepEqual(left(), NOTHING_LEFT);
});

test('a reply within its limit, its last millisecond included, is heard; the timer ends with it, the signal stays quiet', async () => {
  for (const limitMs of [201, 200]) {
    const stage = stageOf([limit(() => limitMs), attemptCap(1)]);
    const { clock, transport, task, left, row } = stage;
    await clock.run(async () => {
      assert.equal((await performOne(stage)).reason, 'done');
      assert.equal(clock.nowMs(), 200);
      assert.deepEqual(left(), NOTHING_LEFT);
      await clock.sleep(1000);
    });
    assert.deepEqual([transport.signals[0]?.aborted, task.tally.count('ok'), row()?.unheard_ok], [false, 1, 0]);
  }
});

test('the limit is asked anew for each attempt; undefined means none, and the shortest of several counts', async () => {
  const limits = [undefined, 30, 170];
  const policies = [
    limit((attempt) => limits[attempt - 1]),
    limit((attempt) => (attempt === 3 ? 190 : undefined)),
    attemptCap(3),
    immediate(),
  ];
  const stage = stageOf(policies, 500);
  await stage.clock.run(() => performOne(stage));
  assert.deepEqual(stage.transport.sentAtMs, [0, 200, 230]);
  assert.equal(stage.transport.signals[0], undefined);
  assert.equal(stage.clock.nowMs(), 400);
  assert.deepEqual(stage.left(), NOTHING_LEFT);
});

test('a turn gives up as an operation does', async () => {
  const stage = stageOf([limit(() => 150), attemptCap(3), fixedBackoff({ waitMs: 50 })]);
  const decision = await stage.clock.run(() => turn(stage.task, startOperation(stage.task, 1, 1)));
  assert.deepEqual(decision, { kind: 'retry', waitMs: 50, because: 'backoff' });
  assert.equal(stage.clock.nowMs(), 150);
  assert.deepEqual(stage.left(), NOTHING_LEFT);
});

/** Cancels the task at a time, while its one operation is under way. */
async function cancelled(stage: Stage, atMs: number) {
  const { clock, task } = stage;
  const stop = await clock.run(async () => {
    const performed = performOne(stage);
    await clock.sleep(atMs);
    task.cancel();
    return performed;
  });
  return { stop, endMs: clock.nowMs(), outcomes: task.tally.outcomes };
}

const CANCELLED = { kind: 'stop', reason: 'cancelled', scope: 'task' };
const NONE = { success: 0, failure: 0, unknown: 0, not_sent: 0 };

test('cancelled while it waits: woken at once, nothing is sent any more', async () => {
  const stage = stageOf([limit(() => 1000), attemptCap(3), fixedBackoff({ waitMs: 60_000 })], 500);
  const { stop, endMs, outcomes } = await cancelled(stage, 700);
  assert.deepEqual([stop, endMs, outcomes], [CANCELLED, 700, { ...NONE, failure: 1 }]);
  assert.equal(stage.transport.sentAtMs.length, 1);
  assert.deepEqual(stage.left(), NOTHING_LEFT);
});

test('cancelled in flight with a limit: given up at once, unheard once, and its outcome is not known', async () => {
  const stage = stageOf([limit(() => 1000), attemptCap(3), immediate()]);
  const { stop, endMs, outcomes } = await cancelled(stage, 120);
  assert.deepEqual([stop, endMs, outcomes], [CANCELLED, 120, { ...NONE, unknown: 1 }]);
  assert.deepEqual([stage.transport.signals[0]?.aborted, stage.row()?.ok, stage.row()?.unheard_ok], [true, 1, 1]);
  assert.deepEqual(stage.left(), NOTHING_LEFT);
});

test('cancelled in flight without a limit: the reply is still heard, and it is the last', async () => {
  for (const [status, outcome] of [
    [500, 'failure'],
    [200, 'success'],
  ] as const) {
    const stage = stageOf([attemptCap(3), immediate()], status);
    const { endMs, outcomes } = await cancelled(stage, 120);
    assert.deepEqual([endMs, outcomes], [200, { ...NONE, [outcome]: 1 }]);
    assert.equal(stage.transport.sentAtMs.length, 1);
    assert.deepEqual(stage.left(), NOTHING_LEFT);
  }
});

test('cancelled before anything was sent', async () => {
  const stage = stageOf([limit(() => 1000)], 200, 20);
  const { stop, outcomes } = await cancelled(stage, 10);
  assert.deepEqual([stop, outcomes, stage.transport.sentAtMs], [CANCELLED, { ...NONE, not_sent: 1 }, []]);
});
