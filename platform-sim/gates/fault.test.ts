// Holds the fault: a 500 below its rate, by its draw alone, with no limit kind and no Retry-After.

import assert from 'node:assert/strict';
import test from 'node:test';
import { stream } from '../draws.ts';
import { fault } from './fault.ts';

const arrival = (key = 0, ordinal = 0) => ({ nowMs: 0, key, ordinal, host: 'platform', billed: true, lost: false });
const fails = (uniform: number, rate: number) => fault({ rate }, () => uniform).examine(arrival());

test('fails below the rate, passes at it and above', () => {
  assert.deepEqual(fails(0.2499, 0.25), { verdictClass: 'error500', status: 500 });
  assert.equal(fails(0.25, 0.25), undefined);
  assert.equal(fault({ rate: 0.25 }, () => 0).name, 'fault');
});

test('a rate of 0 never fails, a rate of 1 always', () => {
  assert.equal(fails(0, 0), undefined);
  assert.notEqual(fails(1 - 2 ** -32, 1), undefined);
});

test('draws by key, then ordinal, and not by time', () => {
  const asked: number[] = [];
  const gate = fault({ rate: 0.25 }, (...drawn) => {
    asked.push(...drawn);
    return 0.5;
  });
  gate.examine(arrival(7, 3));
  assert.deepEqual(asked, [7, 3]);
});

test('the same request fails again, a retry has its own luck', () => {
  const outcomes = (gate: ReturnType<typeof fault>) =>
    Array.from({ length: 1000 }, (_, i) => gate.examine(arrival(i % 100, Math.floor(i / 100))) !== undefined);
  const first = outcomes(fault({ rate: 0.25 }, stream(1, 'fault')));
  assert.deepEqual(outcomes(fault({ rate: 0.25 }, stream(1, 'fault'))), first);
  assert.notDeepEqual(first.slice(0, 100), first.slice(100, 200));
});

test('fails a quarter of a night', () => {
  const gate = fault({ rate: 0.25 }, stream(1, 'fault'));
  const n = 50_000;
  let failed = 0;
  for (let i = 0; i < n; i++) if (gate.examine(arrival(i % 9000, Math.floor(i / 9000))) !== undefined) failed++;
  assert.ok(Math.abs(failed - n * 0.25) < 5 * Math.sqrt(n * 0.25 * 0.75), `${failed} of ${n}`);
});
