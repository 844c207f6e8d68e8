// Holds that a client finds simulated time and chance under every name, in a thread of its own since globals are replaced.

import assert from 'node:assert/strict';
import test from 'node:test';
import { smallStorm } from '../testing.ts';
import { runInWorker } from './in-worker.ts';
import { specOf, testdata } from './testing.ts';

const { count } = (await import(testdata('globals.mjs'))) as { readonly count: number };

/** How the checks ended, and the chance that was told after them. */
async function endingsOf(seed: number): Promise<readonly string[]> {
  // Hours pass in it, so that the limit of the scenario must be far.
  const scenario = smallStorm({ 'task.items': count + 1, 'limits.scenario_time_s': 1_000_000 });
  const { endings, night } = await runInWorker(specOf('globals.mjs', { scenario, seed, concurrency: 1 }));
  assert.deepEqual([endings.done, night.stopReason], [count, 'attempts_exhausted'], Object.keys(endings).join());
  return Object.keys(endings).filter((name) => name !== 'done');
}

test('calendar, clocks, timers, signals and contexts are simulated by every name; chance is that of the seed', async () => {
  const [first = ''] = await endingsOf(1);
  assert.match(first, /^chance 0\.\d+,0\.\d+,0\.\d+$/);
  assert.deepEqual(await endingsOf(1), [first]);
  assert.notDeepEqual(await endingsOf(2), [first]);
});

test("the calendar of a client that is set to another time is what its Date says, and no other clock's affair", async () => {
  // The client starts at 5 s and asks for an item every 145 ms: the seventh is at 6.015 s, the fourteenth at 7.03 s.
  const steps = [
    { at_s: 6, by_s: 3600 },
    { at_s: 7, by_s: -7200 },
  ];
  const scenario = smallStorm({ 'task.items': 16, 'task.calendar': { trusted: true, steps } });
  const { endings, night } = await runInWorker(specOf('told-time.mjs', { scenario, concurrency: 1 }));
  assert.deepEqual(endings, { 'ahead 0': 6, 'ahead 3600000': 7, 'ahead -3600000': 3 });
  assert.equal(night.endedMs, 5000 + 16 * 145);
});
