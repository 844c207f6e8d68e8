// Holds what the adapter without sockets does when a reply reaches nobody: lost on the way, or given up by the client. It
// rejects with the one error of the contract, and the platform's book says so.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import test from 'node:test';
import { InProcessTransport, type Scheduler } from './in-process.ts';
import { NO_REPLY_CAUSES, type NoReplyCause, NoReplyError } from './no-reply.ts';
import { Platform } from './platform.ts';
import type { PlatformProfile } from './profile.ts';

const PROFILE: PlatformProfile = {
  epochMs: 0,
  latencyMs: [150, 250],
  rejectionLatencyMs: [10, 30],
  overheadMs: 2,
  gates: [],
};

/** Keeps what was asked for, and runs it when told. */
class ManualScheduler implements Scheduler {
  time = 0;
  readonly asked: { readonly delayMs: number; readonly run: () => void }[] = [];
  nowMs(): number {
    return this.time;
  }
  schedule<T>(delayMs: number, run: (argument: T) => void, argument: T): void {
    this.asked.push({ delayMs, run: () => run(argument) });
  }
}

/** A platform that loses or sends one reply, and one request on its way; `signal` may give it up. */
function oneRequest(reply: { readonly status: number; readonly lost?: boolean }, signal?: AbortSignal) {
  const scheduler = new ManualScheduler();
  const platform = new Platform({ ...PROFILE, gates: [{ gate: 'scripted', replies: [reply], after: 'last' }] }, 1);
  const transport = new InProcessTransport(platform, scheduler);
  scheduler.time = 61_000;
  let settled: 'resolved' | 'rejected' | undefined;
  const sent = transport.send({ client: 'naive', ordinal: 1, item: 3 }, signal);
  void sent.then(
    () => (settled = 'resolved'),
    () => (settled = 'rejected'),
  );
  const arrive = () => {
    scheduler.time += scheduler.asked[0]?.delayMs ?? 0;
    scheduler.asked[0]?.run();
  };
  const row = () => platform.meter.rows()[1];
  const drained = async () => {
    for (let reaction = 0; reaction < 5; reaction++) await Promise.resolve();
  };
  return { sent, arrive, row, drained, scheduler, how: () => settled };
}

const noReply = (why: NoReplyCause) => (error: unknown) => error instanceof NoReplyError && error.why === why;
const listeners = (signal: AbortSignal) => getEventListeners(signal, 'abort').length;

test('a lost reply rejects after the latency, with or without a signal, and is counted as unheard in the minute of its request', async () => {
  for (const [status, column] of [
    [200, 'ok'],
    [500, 'error500'],
    [504, 'other'],
  ] as const) {
    for (const { signal } of [{ signal: undefined }, new AbortController()]) {
      const { sent, arrive, row, drained, scheduler, how } = oneRequest({ status, lost: true }, signal);
      await drained();
      assert.equal(how(), undefined, 'not before its event');
      assert.deepEqual([row()?.[column], row()?.[`unheard_${column}`]], [1, 0]);
      const delayMs = scheduler.asked[0]?.delayMs ?? 0;
      assert.ok(delayMs >= 152 && delayMs <= 252, `the latency of a reply: ${delayMs}`);
      arrive();
      await assert.rejects(sent, noReply('reset'));
      assert.deepEqual([row()?.[column], row()?.[`unheard_${column}`], row()?.billed, row()?.total], [1, 1, 1, 1]);
      if (signal !== undefined) assert.equal(listeners(signal), 0);
    }
  }
});

test('given up, it rejects at once, is unheard exactly once, and what arrives later changes nothing', async () => {
  for (const lost of [false, true]) {
    const controller = new AbortController();
    const { sent, arrive, row, scheduler } = oneRequest({ status: 200, lost }, controller.signal);
    assert.equal(listeners(controller.signal), 1);
    controller.abort();
    await assert.rejects(sent, noReply('cancelled'));
    assert.equal(scheduler.time, 61_000);
    assert.deepEqual([row()?.unheard_ok, listeners(controller.signal)], [1, 0]);
    arrive();
    assert.deepEqual([row()?.ok, row()?.unheard_ok, row()?.total], [1, 1, 1]);
  }
});

test('a signal that was aborted before it was sent: rejected at once, and what the platform counted is unheard', async () => {
  const controller = new AbortController();
  controller.abort();
  const { sent, row, drained, how } = oneRequest({ status: 200 }, controller.signal);
  await drained();
  assert.equal(how(), 'rejected');
  await assert.rejects(sent, noReply('cancelled'));
  assert.equal(row()?.unheard_ok ?? 0, row()?.total ?? 0);
  assert.equal(listeners(controller.signal), 0);
});

test('a reply that arrived is not unheard, and an abort after it changes nothing', async () => {
  const controller = new AbortController();
  const { sent, arrive, row } = oneRequest({ status: 503 }, controller.signal);
  arrive();
  assert.equal((await sent).status, 503);
  assert.equal(listeners(controller.signal), 0);
  controller.abort();
  assert.deepEqual([row()?.error503, row()?.unheard_error503], [1, 0]);
});

test('the error says why, and keeps its cause', () => {
  const cause = new Error('socket gone');
  const error = new NoReplyError('reset', { cause });
  assert.deepEqual([error.name, error.message, error.why], ['NoReplyError', 'no reply: reset', 'reset']);
  assert.equal(error.cause, cause);
  for (const why of NO_REPLY_CAUSES) assert.equal(new NoReplyError(why).why, why);
});
