// When a night on real time is void: in scenario time, against what the scenario is made of.

import assert from 'node:assert/strict';
import test from 'node:test';
import { smallStorm } from '../testing.ts';
import { judge } from './judge.ts';
import type { WorkerHealth } from './worker-health.ts';

const scenario = smallStorm();
const health = (loopMs: number, timerMs: number): WorkerHealth => ({
  loopDelayMs: { count: 100, mean: loopMs / 10, p99: loopMs, max: 10 * loopMs },
  timerErrorMs: { count: 100, mean: timerMs, p99: 10 * timerMs, max: 100 * timerMs },
});

/** Speed, loop delay of the worse thread and mean timer error in real ms, overhead in scenario ms: warnings, reasons to void. */
const TABLE = [
  [1, 1, 0.5, 1, 0, 0],
  // The shortest reply of the storm night takes 12 ms, the shortest billed one 152 ms, an attempt at least 297 ms.
  [1, 13, 0.5, 1, 1, 0],
  [10, 1.3, 0.05, 1, 1, 0],
  [10, 15, 0.05, 1, 1, 0],
  [10, 15.3, 0.05, 1, 0, 1],
  [1, 1, 0.5, 3, 1, 0],
  [1, 1, 0.5, 15, 0, 1],
  [20, 0.1, 0.8, 0, 0, 1],
  [20, 100, 10, 100, 0, 2],
] as const;

test('event-loop delay and timer error count by the speed', () => {
  for (const [speed, loopMs, timerMs, overheadMs, warnings, voids] of TABLE) {
    const name = `speed ${speed}, loop ${loopMs} ms, timers ${timerMs} ms, overhead ${overheadMs} ms`;
    for (const worse of ['platform', 'client'] as const) {
      const better = { platform: health(0, timerMs), client: health(0, timerMs) };
      const judged = judge(scenario, { speed, overheadMs, ...better, [worse]: health(loopMs, timerMs) });
      assert.equal(judged.warnings.length, warnings, `${name}: ${judged.warnings.join('; ')}`);
      assert.equal(judged.void_because.length, voids, `${name}: ${judged.void_because.join('; ')}`);
    }
  }
});
