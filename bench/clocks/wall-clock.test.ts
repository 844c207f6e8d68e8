// The wall clock keeps the contract of every clock. No test waits for a time to pass: what is asserted is order and clean-up.

import assert from 'node:assert/strict';
import test from 'node:test';
import { MAX_DELAY_MS } from './simulated-clock.ts';
import { monotonicMs, WallClock } from './wall-clock.ts';

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

test('the calendar stepped by an hour, either way, changes no time and no wait', async () => {
  let calendarMs = Date.UTC(2026, 9, 25, 1);
  let nowMs = 1000;
  const clock = new WallClock({ monotonicMs: () => nowMs, calendarMs: () => calendarMs });
  for (const hours of [1, -1]) {
    const before = clock.nowMs();
    const waited = clock.sleep(2);
    calendarMs += hours * 3_600_000;
    assert.equal(clock.nowMs(), before, `${hours} h`);
    assert.equal(clock.dateMs(), calendarMs);
    nowMs += 2;
    await waited;
    assert.equal(clock.nowMs(), before + 2);
  }
  const scenario = new WallClock({ epochMs: 5000, monotonicMs: () => nowMs, calendarMs: () => calendarMs });
  calendarMs += 3_600_000;
  assert.equal(scenario.dateMs(), 5000, 'a scenario has a calendar of its own');
});

test('scenario time goes by the speed from one moment for all', () => {
  let nowMs = 70_000;
  const clocks = [1, 2].map(() => new WallClock({ speed: 20, originMs: 69_000, monotonicMs: () => nowMs }));
  nowMs += 61;
  assert.deepEqual(
    clocks.map((clock) => clock.nowMs()),
    [21_220, 21_220],
  );
  assert.ok(Math.abs(monotonicMs() - Number(process.hrtime.bigint()) / 1e6) < 1000, 'the clock that threads share');
});

for (const speed of [1, 20]) {
  test(`no wait ends early at speed ${speed}, whatever the machine’s timers do, and how late it was is told`, async () => {
    let nowMs = 0;
    let ran = 0;
    const late: number[] = [];
    const clock = new WallClock({ speed, monotonicMs: () => nowMs, late: (ms) => late.push(ms) });
    const looked = new Promise<void>((resolve) => {
      clock.after(speed, () => {
        ran = nowMs;
        resolve();
      });
    });
    // The machine's timers run, but its clock stands: to them the wait is over, to ours it is not.
    const other = new WallClock();
    for (let turn = 0; turn < 5; turn++) await other.sleep(1);
    assert.equal(ran, 0);
    nowMs = 1.5;
    await looked;
    assert.equal(ran, 1.5);
    assert.deepEqual(late, [0.5]);
  });
}
