// Replies on real time: each is told to be settled once, as heard or unheard, and at the end none is left.

import assert from 'node:assert/strict';
import test from 'node:test';
import { Meter } from '../../platform-sim/meter.ts';
import type { Verdict } from '../../platform-sim/types.ts';
import { WallClock } from '../clocks/wall-clock.ts';
import { PlatformSchedule } from './platform-schedule.ts';

const VERDICT: Verdict = {
  ...{ verdictClass: 'ok', status: 200, billed: true, latencyMs: 1, lost: false },
  ...{ limitKind: undefined, retryAfter: undefined },
};

test('a reply that is written is heard, one that finds nobody is not, and one still due is dropped at the end', async () => {
  const clock = new WallClock();
  const meter = new Meter();
  const schedule = new PlatformSchedule(clock, meter);
  const settled: [string, boolean][] = [];
  const drop = () => meter.countUnheard(0, VERDICT);
  meter.count(0, VERDICT);
  const reply = (name: string, delayMs: number, send: () => void) =>
    new Promise<void>((resolve) => {
      schedule.expect((_, unheard) => {
        settled.push([name, unheard]);
        resolve();
      });
      schedule.reply(delayMs, send, drop);
    });
  await reply('written', 0, () => {});
  await reply('nobody there', 0, drop);
  void reply('still due', 2 ** 30, () => assert.fail('written to nobody'));
  schedule.abandon();
  schedule.abandon();
  assert.deepEqual(settled, [
    ['written', false],
    ['nobody there', true],
    ['still due', true],
  ]);
  assert.equal(meter.unheard, 2);
});

test('a verdict that nobody saw has no reply', () => {
  const schedule = new PlatformSchedule(new WallClock(), new Meter());
  assert.throws(
    () =>
      schedule.reply(
        0,
        () => {},
        () => {},
      ),
    /nobody saw/,
  );
});
