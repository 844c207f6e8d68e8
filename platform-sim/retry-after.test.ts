// Holds what the platform says about waiting: never too short, never 0 when it is the truth, and nothing without an end.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { stateRetryAfter } from './retry-after.ts';
import { TokenBucket } from './token-bucket.ts';

fc.configureGlobal({ seed: 20261016 });

const EPOCH_MS = Date.UTC(2026, 9, 16, 2, 0, 0);
const FOREVER = Number.POSITIVE_INFINITY;

test('the truth in seconds is rounded up and never 0', () => {
  const cases: readonly (readonly [waitMs: number, stated: string])[] = [
    [0, '1'],
    [0.001, '1'],
    [33.4, '1'],
    [200, '1'],
    [999.9, '1'],
    [1000, '1'],
    [1000.1, '2'],
    [1001, '2'],
    [59_999, '60'],
    [60_000, '60'],
    [86_400_000, '86400'],
  ];
  for (const [waitMs, stated] of cases) {
    assert.equal(stateRetryAfter({ form: 'seconds' }, waitMs, EPOCH_MS), stated, `${waitMs} ms`);
  }
});

test('the sub-second waits of real buckets are stated as 1', () => {
  for (const [refillPerS, waitMs] of [
    [30, 100 / 3],
    [5, 200],
  ] as const) {
    const bucket = new TokenBucket(refillPerS, 1);
    assert.ok(bucket.take(0));
    assert.ok(Math.abs(bucket.waitMs(0) - waitMs) < 1e-9);
    assert.equal(stateRetryAfter({ form: 'seconds' }, bucket.waitMs(0), EPOCH_MS), '1');
  }
});

test('a value of the scenario stands before the truth, 0 included', () => {
  assert.equal(stateRetryAfter({ form: 'seconds', valueS: 2 }, 60_000, EPOCH_MS), '2');
  assert.equal(stateRetryAfter({ form: 'seconds', valueS: 0 }, 60_000, EPOCH_MS), '0');
  assert.equal(stateRetryAfter({ form: 'seconds', valueS: undefined }, 60_000, EPOCH_MS), '60');
  assert.equal(stateRetryAfter({ form: 'seconds', valueS: 3600 }, FOREVER, EPOCH_MS), '3600');
});

test('an HTTP date is an IMF-fixdate of the calendar plus the wait', () => {
  const form = { form: 'http-date' } as const;
  assert.equal(stateRetryAfter(form, 60_000, EPOCH_MS), 'Fri, 16 Oct 2026 02:01:00 GMT');
  assert.equal(stateRetryAfter(form, 33.4, EPOCH_MS), 'Fri, 16 Oct 2026 02:00:01 GMT');
  assert.equal(stateRetryAfter({ ...form, valueS: 2 }, 60_000, EPOCH_MS), 'Fri, 16 Oct 2026 02:00:02 GMT');
  assert.equal(stateRetryAfter(form, 1000, EPOCH_MS + 400), 'Fri, 16 Oct 2026 02:00:02 GMT', 'not a second too early');
  assert.equal(stateRetryAfter(form, 1000, Date.UTC(2026, 11, 31, 23, 59, 59)), 'Fri, 01 Jan 2027 00:00:00 GMT');
});

test('absent is absent, and a text stands as it is', () => {
  assert.equal(stateRetryAfter({ form: 'absent' }, 60_000, EPOCH_MS), undefined);
  assert.equal(stateRetryAfter({ form: 'text', value: 'soon' }, 60_000, EPOCH_MS), 'soon');
  assert.equal(stateRetryAfter({ form: 'text', value: '' }, 60_000, EPOCH_MS), '');
  assert.equal(stateRetryAfter({ form: 'text', value: '-5' }, FOREVER, EPOCH_MS), '-5');
});

test('a wait without an end is not stated', () => {
  assert.equal(stateRetryAfter({ form: 'seconds' }, FOREVER, EPOCH_MS), undefined);
  assert.equal(stateRetryAfter({ form: 'http-date' }, FOREVER, EPOCH_MS), undefined);
});

const anyWaitMs = fc.double({ min: 0, max: 1e9, noNaN: true });
const anyDateMs = fc.integer({ min: 0, max: 4_102_444_800_000 });

test('seconds: whole, enough, and less than one more than needed', () => {
  fc.assert(
    fc.property(anyWaitMs, anyDateMs, (waitMs, dateMs) => {
      const stated = stateRetryAfter({ form: 'seconds' }, waitMs, dateMs) ?? '';
      assert.match(stated, /^[1-9][0-9]*$/);
      const statedMs = Number(stated) * 1000;
      assert.ok(statedMs >= waitMs && (statedMs === 1000 || statedMs < waitMs + 1000), `${stated} s for ${waitMs} ms`);
    }),
  );
});

test('HTTP date: reads back as a moment at which the wait is over, less than two seconds late', () => {
  fc.assert(
    fc.property(anyWaitMs, anyDateMs, (waitMs, dateMs) => {
      const stated = stateRetryAfter({ form: 'http-date' }, waitMs, dateMs) ?? '';
      assert.match(stated, /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/);
      const aheadMs = Date.parse(stated) - dateMs;
      assert.ok(aheadMs >= waitMs && aheadMs < waitMs + 2000, `${stated} for ${waitMs} ms from ${dateMs}`);
    }),
  );
});

test('a tiny refill: a wait beyond the calendar is not stated', () => {
  assert.notEqual(stateRetryAfter({ form: 'http-date' }, 1e300, EPOCH_MS), 'Invalid Date');
  assert.doesNotMatch(stateRetryAfter({ form: 'seconds' }, 1e300, EPOCH_MS) ?? '', /e/);
});
