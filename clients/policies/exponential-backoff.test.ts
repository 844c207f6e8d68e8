// Holds the published formula of the waits, min(300 * 2^(attempt-1) + jitter, 5000), for attempts and draws of any size.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { stream } from '../../platform-sim/draws.ts';
import type { Random } from '../ports.ts';
import { operationOf, resultOf, waitOf } from '../testing.ts';
import { exponentialBackoff, exponentialMs } from './exponential-backoff.ts';

const PUBLISHED = { baseMs: 300, capMs: 5000, jitterMs: [0, 200] } as const;
const LARGEST_UNIFORM = 1 - 2 ** -32;

const uniform = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
const anyAttempt = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }));

function waitMs(random: Random, attempt: number, item = 1): number {
  const operation = operationOf(item, attempt);
  return waitOf(
    exponentialBackoff(PUBLISHED, random).decide?.(resultOf('error500', { operation, attempt }), undefined),
  );
}

test('the published waits, with the least and the most jitter', () => {
  for (const [attempt, least, most] of [
    [1, 300, 500],
    [2, 600, 800],
    [3, 1200, 1400],
    [4, 2400, 2600],
    [5, 4800, 5000],
    [6, 5000, 5000],
    [7, 5000, 5000],
    [2 ** 53, 5000, 5000],
  ] as const) {
    assert.equal(
      waitMs(() => 0, attempt),
      least,
      `attempt ${attempt}`,
    );
    assert.equal(
      waitMs(() => LARGEST_UNIFORM, attempt),
      most,
      `attempt ${attempt}`,
    );
  }
});

test('any attempt and any draw: whole, finite, the formula, never above the cap', () => {
  fc.assert(
    fc.property(anyAttempt, uniform, (attempt, draw) => {
      const wait = waitMs(() => draw, attempt);
      assert.equal(wait, Math.min(300 * 2 ** (attempt - 1) + Math.floor(draw * 201), 5000));
      assert.ok(Number.isInteger(wait) && wait >= 300 && wait <= 5000, `${wait} ms`);
    }),
    { numRuns: 1000 },
  );
});

test('over the client’s own stream both ends of the jitter are reached, and nothing beyond', () => {
  const random = stream(7, 'client:backoff-jitter');
  const seen = new Set(Array.from({ length: 5000 }, (_, item) => waitMs(random, 1, item + 1)));
  assert.equal(Math.min(...seen), 300);
  assert.equal(Math.max(...seen), 500);
  assert.equal(seen.size, 201);
});

test('a narrow jitter above zero keeps both its ends', () => {
  for (const [draw, expected] of [
    [0, 350],
    [0.49, 350],
    [0.5, 351],
    [LARGEST_UNIFORM, 351],
  ] as const) {
    const policy = exponentialBackoff({ ...PUBLISHED, jitterMs: [50, 51] }, () => draw);
    assert.equal(waitOf(policy.decide?.(resultOf('error500'), undefined)), expected);
  }
});

test('the draw is keyed by item and attempt', () => {
  const asked: [number, number][] = [];
  const random: Random = (item, count) => {
    asked.push([item, count]);
    return 0;
  };
  waitMs(random, 3, 17);
  assert.deepEqual(asked, [[17, 3]]);
});

test('no attempt number makes NaN or Infinity, a base of 0 and the longest timer included', () => {
  const ms = fc.integer({ min: 0, max: 2 ** 31 - 1 });
  fc.assert(
    fc.property(ms, ms, anyAttempt, (baseMs, capMs, attempt) => {
      const wait = exponentialMs(baseMs, capMs, attempt);
      assert.ok(wait >= 0 && wait <= capMs, `${wait} ms`);
      assert.equal(exponentialMs(0, capMs, attempt), 0);
    }),
    { numRuns: 1000 },
  );
});
