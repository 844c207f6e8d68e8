// Intervals from order statistics: ranks of printed tables, their coverage, and what too few values can not say.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { binomialCdf } from './distributions.ts';
import { leastValues, quantileEstimate, quantileRanks } from './quantile-interval.ts';

test('ranks around the median and around the 99 % quantile', () => {
  // Of the median: six values are the fewest, of which the first and the last hold it with 1 - 2 / 2^6.
  const six = quantileRanks(6, 0.5);
  assert.deepEqual([six.low, six.high, six.coverage.toFixed(5)], [1, 6, (1 - 2 / 64).toFixed(5)]);
  const { low, high } = quantileRanks(100, 0.5);
  assert.deepEqual([low, high], [40, 60]);
  assert.equal(quantileRanks(5, 0.5).high === undefined || quantileRanks(5, 0.5).low === undefined, true);
  assert.equal(leastValues(0.5), 6);
  assert.equal(leastValues(0.99), 299);
  assert.equal(quantileRanks(298, 0.99).high, undefined);
  assert.equal(quantileRanks(299, 0.99).high, 299);
});

test('the two ranks hold the quantile with the coverage asked for, and no shorter pair does', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 6, max: 300 }),
      fc.double({ min: 0.05, max: 0.99, noNaN: true }),
      fc.constantFrom(0.8, 0.95),
      (n, p, confidence) => {
        const { low = 0, high = n + 1, coverage } = quantileRanks(n, p, confidence);
        const between = (a: number, b: number) =>
          (b > n ? 1 : binomialCdf(b - 1, n, p)) - (a === 0 ? 0 : binomialCdf(a - 1, n, p));
        assert.ok(coverage >= confidence);
        assert.ok(Math.abs(between(low, high) - coverage) < 1e-9);
        for (let from = 1; from + high - low - 1 <= n; from++)
          assert.ok(between(from, from + high - low - 1) < confidence + 1e-9, `from ${from}`);
      },
    ),
    { numRuns: 60 },
  );
});

test('the estimate is the smallest value that so many of the values do not pass', () => {
  const values = Array.from({ length: 100 }, (_, index) => index + 1);
  assert.equal(quantileEstimate(values, 0.07).value, 7);
  assert.equal(quantileEstimate(values, 0.075).value, 8);
  assert.equal(quantileEstimate(values, 0.001).value, 1);
  const { low, high } = quantileEstimate(values, 0.99);
  assert.ok(low < 99);
  assert.equal(high, Number.POSITIVE_INFINITY, 'a hundred values say nothing of an upper end');
  const never = [...values.slice(0, 98), Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  assert.equal(quantileEstimate(never, 0.99).value, Number.POSITIVE_INFINITY);
  assert.throws(() => quantileEstimate([], 0.5), RangeError);
});
