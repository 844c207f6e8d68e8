// Nights on worker threads: in the order of their seeds, the same for any number of workers, and a lost worker is an error.

import assert from 'node:assert/strict';
import test from 'node:test';
import { runNight } from '../night.ts';
import { smallStorm } from '../testing.ts';
import { NightPool } from './night-pool.ts';

const scenario = smallStorm({ 'task.items': 200 });
const series = { scenario, strategy: 'guarded', clock: 'virtual', firstSeed: 5, nights: 37 } as const;

test('1, 2 and 4 workers give the nights of the main thread, in order', async () => {
  const expected: unknown[] = [];
  for (let seed = 5; seed < 42; seed++)
    expected.push(await runNight({ scenario, strategy: 'guarded', seed, clock: 'virtual' }));
  for (const workers of [1, 2, 4]) {
    const pool = new NightPool(workers);
    const nights: unknown[] = [];
    for await (const night of pool.series(series)) nights.push(night);
    await pool.close();
    assert.deepEqual(nights, expected, `${workers} workers`);
  }
});

test('a night that fails in a worker fails the series', async () => {
  const pool = new NightPool(2);
  const broken = smallStorm({ 'limits.scenario_time_s': 7 });
  await assert.rejects(async () => {
    for await (const night of pool.series({ ...series, scenario: broken })) void night;
  }, /past the limit/);
  await pool.close();
});
