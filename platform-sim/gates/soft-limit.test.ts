// Holds the soft limit: it strikes by its draw alone, below its rate, and states the wait of the scenario.

import assert from 'node:assert/strict';
import test from 'node:test';
import { stream } from '../draws.ts';
import { softLimit } from './soft-limit.ts';

const dateMs = (nowMs: number) => Date.UTC(2026, 9, 16, 2, 0, 0) + nowMs;
const arrival = (key = 0, ordinal = 0, nowMs = 0) => ({
  nowMs,
  key,
  ordinal,
  host: 'platform',
  billed: false,
  lost: false,
});
const struck = (uniform: number, rate: number) =>
  softLimit({ rate, retryAfter: { form: 'seconds', valueS: 2 } }, () => uniform, dateMs).examine(arrival());

test('refuses below the rate, passes at it and above', () => {
  assert.deepEqual(struck(0.0799, 0.08), { verdictClass: 'soft', status: 429, limitKind: 'soft', retryAfter: '2' });
  assert.equal(struck(0.08, 0.08), undefined);
  assert.equal(struck(0.9, 0.08), undefined);
});

test('a rate of 0 never strikes, a rate of 1 always', () => {
  assert.equal(struck(0, 0), undefined);
  assert.notEqual(struck(1 - 2 ** -32, 1), undefined);
});

test('draws by key and ordinal, not by time or by how often it was asked', () => {
  const asked: [number, number][] = [];
  const draw = (key: number, ordinal: number) => {
    asked.push([key, ordinal]);
    return 0.5;
  };
  const gate = softLimit({ rate: 0.08, retryAfter: { form: 'absent' } }, draw, dateMs);
  gate.examine(arrival(7, 3, 1000));
  gate.examine(arrival(-9, 0, 2000));
  assert.deepEqual(asked, [
    [7, 3],
    [-9, 0],
  ]);
  assert.equal(gate.name, 'soft_limit');
});

test('without a value the wait is the shortest that can be stated, from the calendar of the platform', () => {
  const say = (form: 'seconds' | 'http-date') =>
    softLimit({ rate: 1, retryAfter: { form } }, () => 0, dateMs).examine(arrival(0, 0, 60_000))?.retryAfter;
  assert.equal(say('seconds'), '1');
  assert.equal(say('http-date'), 'Fri, 16 Oct 2026 02:01:01 GMT');
});

test('strikes 8 % of a night', () => {
  const gate = softLimit({ rate: 0.08, retryAfter: { form: 'absent' } }, stream(1, 'soft_limit'), dateMs);
  const n = 50_000;
  let refused = 0;
  for (let i = 0; i < n; i++) if (gate.examine(arrival(i % 9000, Math.floor(i / 9000))) !== undefined) refused++;
  assert.ok(Math.abs(refused - n * 0.08) < 5 * Math.sqrt(n * 0.08 * 0.92), `${refused} of ${n}`);
});
