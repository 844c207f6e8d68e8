// Holds the switch of a task: it wakes every wait at once, keeps its first reason, and leaves nothing behind.

import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import test from 'node:test';
import { SimulatedClock } from '../bench/clocks/simulated-clock.ts';
import type { Clock } from './ports.ts';
import { stageOf } from './testing.ts';

/** A simulated clock that remembers the signals it was given. */
class WatchedClock extends SimulatedClock {
  readonly signals = new Set<AbortSignal>();

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal !== undefined) this.signals.add(signal);
    return super.sleep(ms, signal);
  }

  get listeners(): number {
    return [...this.signals].reduce((sum, signal) => sum + getEventListeners(signal, 'abort').length, 0);
  }
}

const taskOn = (clock: Clock) => stageOf(clock, { items: 10, script: () => 'ok', policies: [] }).task;

test('a stop wakes a thousand waits at once, and the clock is not kept busy by them', async () => {
  const clock = new WatchedClock(0, 1e9);
  const task = taskOn(clock);
  const wokenAtMs: number[] = [];
  await clock.run(async () => {
    const waits = Array.from({ length: 1000 }, async (_, index) => {
      await task.wait(60_000 + index, 'backoff');
      wokenAtMs.push(clock.nowMs());
    });
    await clock.sleep(700);
    assert.equal(clock.listeners, 1000);
    task.stop('cancelled');
    await Promise.all(waits);
  });
  assert.deepEqual(wokenAtMs, Array(1000).fill(700));
  assert.equal(clock.nowMs(), 700);
  assert.equal(clock.listeners, 0);
});

test('waits that end by themselves leave no listener', async () => {
  const clock = new WatchedClock(0, 1e9);
  const task = taskOn(clock);
  await clock.run(async () => {
    for (let time = 0; time < 50; time++) await task.wait(10, 'backoff');
  });
  assert.equal(clock.signals.size, 1);
  assert.equal(clock.listeners, 0);
  assert.equal(clock.nowMs(), 500);
});

test('a wait that begins after the stop ends at once', async () => {
  const clock = new WatchedClock(0, 1e9);
  const task = taskOn(clock);
  task.stop('cancelled');
  await clock.run(() => task.wait(60_000, 'backoff'));
  assert.equal(clock.nowMs(), 0);
  assert.equal(clock.listeners, 0);
});

test('the first reason stays', () => {
  const task = taskOn(new WatchedClock(0, 1e9));
  assert.equal(task.stopReason, undefined);
  task.stop('quota_exhausted');
  task.stop('cancelled');
  assert.equal(task.stopReason, 'quota_exhausted');
});

test('waits are booked with their planned length, however soon they end', async () => {
  const clock = new WatchedClock(0, 1e9);
  const task = taskOn(clock);
  await clock.run(async () => {
    const wait = task.wait(5000, 'retry_after');
    task.stop('cancelled');
    await wait;
  });
  assert.deepEqual(task.tally.waits.get('retry_after'), { count: 1, plannedMs: 5000 });
});
