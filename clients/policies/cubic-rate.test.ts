// Holds the arithmetic of AWS adaptive mode against the numbers of botocore's and smithy's own tests.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import fc from 'fast-check';
import { CubicRate, MeasuredRate, SendTokens } from './cubic-rate.ts';

interface BucketRow {
  readonly max_rate?: number;
  readonly max_rate_requested?: number;
  readonly min_rate?: number;
  readonly max_capacity?: number;
  readonly acquire_1_at_s?: number[];
  readonly acquire_1_every_100ms_from_1s?: number;
  readonly acquire?: number;
  readonly ok?: boolean | number | boolean[];
}
const DATA = JSON.parse(
  readFileSync(new URL('../../../clients/testdata/aws-retry/adaptive_cubic.json', import.meta.url), 'utf8'),
) as {
  constants: { beta: number; scale_constant: number };
  cubic_k: {
    starting_max_rate?: number;
    after_throttle_at_rate?: number;
    beta?: number;
    current_rate?: number;
    k?: number;
    new_rate?: number;
  }[];
  cubic_success: { last_max_rate: number; last_throttle_time_s: number; rows: [number, number][] };
  cubic_throttle_rows_as_asserted: [number, number][];
  token_bucket: BucketRow[];
};

function near(actual: number, expected: number, tolerance = 5e-9): void {
  assert.ok(Math.abs(actual - expected) <= tolerance, `${actual} is not ${expected}`);
}

test('the plateau lies where botocore has it, and a throttle leaves beta of the rate', () => {
  const [start, throttle, gentler] = DATA.cubic_k;
  assert.equal(DATA.cubic_k.length, 3);
  near(new CubicRate(Number(start?.starting_max_rate), 0).plateauS, Number(start?.k), 1e-12);

  const cubic = new CubicRate(10, 0);
  near(cubic.throttled(Number(throttle?.after_throttle_at_rate), 1000), Number(throttle?.new_rate), 1e-12);
  near(cubic.plateauS, Number(throttle?.k), 1e-12);

  const other = new CubicRate(10, 0, gentler?.beta);
  assert.equal(other.throttled(Number(gentler?.current_rate), 1000), gentler?.new_rate);
  near(other.succeeded(1000), 6, 1e-12);
});

// smithy rounds the time to the plateau to eight decimals, and the curve multiplies that by its slope, 25 at most here.
test("smithy's climb after a throttle, to its rounding", () => {
  const { last_max_rate, last_throttle_time_s, rows } = DATA.cubic_success;
  const cubic = new CubicRate(last_max_rate, last_throttle_time_s * 1000);
  for (const [atS, rate] of rows) near(cubic.succeeded(atS * 1000), rate, 25 * 5e-9);
});

test("smithy's rates after a throttle that is the first reply at all", () => {
  for (const [atS, rate] of DATA.cubic_throttle_rows_as_asserted) {
    const measured = new MeasuredRate(0).record(atS * 1000);
    near(new CubicRate(10, 5000).throttled(measured, atS * 1000), rate);
  }
});

test('the curve: from beta of the rate, up to the plateau, beyond it', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.1, max: 1000, noNaN: true }), fc.nat({ max: 1e6 }), (rate, atMs) => {
      const cubic = new CubicRate(0, 0);
      const left = cubic.throttled(rate, atMs);
      near(left, DATA.constants.beta * rate, rate * 1e-12);
      near(cubic.succeeded(atMs), left, rate * 1e-9);
      near(cubic.succeeded(atMs + cubic.plateauS * 1000), rate, rate * 1e-9);
      near(cubic.succeeded(atMs + (cubic.plateauS + 1) * 1000), rate + DATA.constants.scale_constant, rate * 1e-6);
    }),
  );
});

test('the measured rate begins with the second that the client begins in', () => {
  const measured = new MeasuredRate(7800);
  // A reply in the half second from 7.0 to 7.5 s is 2 a second, of which four fifths count.
  assert.equal(measured.record(7900), 1.6);
});

/** Rows that are not played, and why. */
const LEFT_OUT = [
  { max_rate: 10, acquire: 100, block: false, ok: false, why: 'a client takes one token for an attempt, never 100' },
];

/** Plays a row of the table on a bucket that exists since 0. */
function playBucket(row: BucketRow): void {
  const bucket = new SendTokens(row.min_rate);
  bucket.setRate(row.max_rate_requested ?? Number(row.max_rate), 0);
  assert.equal(bucket.rate, row.max_rate);
  if (row.max_capacity !== undefined) assert.equal(bucket.capacity, row.max_capacity);
  const everyMs = Array.from({ length: row.acquire_1_every_100ms_from_1s ?? 0 }, (_, step) => 1000 + 100 * step);
  const atMs = row.acquire_1_at_s?.map((atS) => atS * 1000) ?? everyMs;
  const taken = atMs.map((nowMs) => bucket.take(nowMs) === 0);
  if (row.acquire_1_at_s !== undefined) assert.deepEqual(taken, row.ok);
  else if (everyMs.length > 0) assert.equal(taken.filter(Boolean).length, row.ok);
}

test("botocore's token bucket", () => {
  const played = DATA.token_bucket.filter(({ acquire }) => acquire === undefined);
  for (const row of played) playBucket(row);
  assert.equal(played.length + LEFT_OUT.length, DATA.token_bucket.length);
});

test('a bucket that is lowered keeps no more than it may hold', () => {
  const bucket = new SendTokens();
  bucket.setRate(10, 0);
  bucket.setRate(10, 1000);
  assert.equal(bucket.tokens, 10);
  bucket.setRate(2, 1000);
  assert.equal(bucket.tokens, 2);
  bucket.giveBack();
  assert.equal(bucket.tokens, 2);
});

test('any use: 0 to capacity, a wait that is whole and true, to a millisecond', () => {
  const step = fc.record({
    passMs: fc.nat({ max: 3000 }),
    rate: fc.option(fc.double({ min: 0, max: 50, noNaN: true }), { nil: undefined }),
    giveBack: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 100, size: 'max' }), (steps) => {
      const bucket = new SendTokens();
      let nowMs = 0;
      for (const { passMs, rate, giveBack } of steps) {
        nowMs += passMs;
        if (rate !== undefined) bucket.setRate(rate, nowMs);
        const waitMs = bucket.take(nowMs);
        if (giveBack && waitMs === 0) bucket.giveBack();
        assert.ok(bucket.tokens >= 0 && bucket.tokens <= bucket.capacity, `${bucket.tokens} of ${bucket.capacity}`);
        assert.ok(Number.isInteger(waitMs) && waitMs >= 0 && waitMs <= 2000, `${waitMs} ms`);
        if (waitMs === 0) continue;
        nowMs += waitMs;
        const more = bucket.take(nowMs);
        assert.ok(more <= 1, `${more} ms more`);
      }
    }),
    { numRuns: 300 },
  );
});
