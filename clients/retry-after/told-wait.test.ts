// Holds that a told wait is whole, finite, at least 0 and at most ten years, however it was told.

import assert from 'node:assert/strict';
import test from 'node:test';
import { invalidWait, MAX_WAIT_MS, type ToldWait, waitFor, waitUntil } from './told-wait.ts';

const SOURCE = 'retry-after';
const tooLong: ToldWait = { kind: 'invalid', reason: 'longer than ten years', source: SOURCE, text: 'x' };

test('a length is rounded up to whole milliseconds, up to ten years', () => {
  for (const [given, waitMs] of [
    [0, 0],
    [-0, 0],
    [0.001, 1],
    [999.5, 1000],
    [MAX_WAIT_MS, MAX_WAIT_MS],
  ] as const) {
    assert.deepEqual(waitFor(given, SOURCE, 'x'), { kind: 'seconds', waitMs, source: SOURCE }, `${given}`);
  }
  for (const given of [MAX_WAIT_MS + 0.1, Number.POSITIVE_INFINITY, Number.NaN]) {
    assert.deepEqual(waitFor(given, SOURCE, 'x'), tooLong, `${given}`);
  }
});

test('a moment is ahead, now, over, or told to someone without a clock', () => {
  const past: ToldWait = { kind: 'past_date', waitMs: 0, source: SOURCE };
  assert.deepEqual(waitUntil(2000, 500.5, SOURCE, 'x'), { kind: 'date', waitMs: 1500, source: SOURCE });
  assert.deepEqual(waitUntil(2000, 2000, SOURCE, 'x'), { kind: 'date', waitMs: 0, source: SOURCE });
  assert.deepEqual(waitUntil(2000, 2000.001, SOURCE, 'x'), past);
  assert.deepEqual(waitUntil(MAX_WAIT_MS + 1, 0, SOURCE, 'x'), tooLong);
  assert.deepEqual(waitUntil(Number.POSITIVE_INFINITY, 0, SOURCE, 'x'), tooLong);
  for (const nowMs of [undefined, Number.NaN, Number.NEGATIVE_INFINITY]) {
    assert.deepEqual(waitUntil(2000, nowMs, SOURCE, 'x'), { kind: 'clock_untrusted', source: SOURCE });
  }
});

test('of an unreadable text 60 characters are kept', () => {
  assert.deepEqual(invalidWait('doubled', SOURCE, 'abc'.repeat(100)), {
    kind: 'invalid',
    reason: 'doubled',
    source: SOURCE,
    text: 'abc'.repeat(20),
  });
});
