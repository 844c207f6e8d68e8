// The wall clock keeps the contract of every clock. No test waits for a time to pass: what is asserted is order and clean-up.

import assert from 'node:assert/strict';
import test from 'node:test';
import { MAX_DELAY_MS } from './simulated-clock.ts';
import { WallClock } from './wall-clock.ts';

test('time never goes back, and the calendar is the machine’s', async () => {
  const clock = new WallClock();
  const before = clock.nowMs();
  await clock.sleep(0);
  assert.ok(clock.nowMs() >= before && Number.isInteger(clock.nowMs()));
  assert.ok(clock.dateMs() > Date.UTC(2024, 0));
});

test('an aborted sleep ends at once and keeps no timer alive', async () => {
  const clock = new WallClock();
  const controller = new AbortController();
  const sleeping = clock.sleep(MAX_DELAY_MS, controller.signal);
  controller.abort();
  await sleeping;
  await clock.sleep(MAX_DELAY_MS, controller.signal);
});

test('a timer never gets NaN, Infinity, a negative number or more than 2^31-1', async () => {
  for (const ms of [Number.NaN, Number.POSITIVE_INFINITY, -1, MAX_DELAY_MS + 1]) {
    await assert.rejects(async () => new WallClock().sleep(ms), RangeError);
  }
});
