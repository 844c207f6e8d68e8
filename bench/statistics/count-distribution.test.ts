// Sums of independent counts against the binomial, against counting all cases, and against their moments.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { type CountDistribution, cdf, moments, quantile, sumOf } from './count-distribution.ts';
import { binomialCdf } from './distributions.ts';

const near = (got: number, expected: number, tolerance = 1e-9) =>
  assert.ok(Math.abs(got - expected) <= tolerance, `${got}, not ${expected}`);

test('coins add up to the binomial, far into its tails', () => {
  const coins = sumOf({ first: 0, p: Float64Array.of(0.31, 0.69) }, 9000);
  for (const x of [6000, 6100, 6210, 6300, 6400]) near(cdf(coins, x), binomialCdf(x, 9000, 0.69), 1e-7);
  near(moments(coins).mean, 6210, 1e-6);
  near(moments(coins).sd, Math.sqrt(9000 * 0.31 * 0.69), 1e-6);
  assert.equal(cdf(coins, 0), 0);
  near(cdf(coins, 9000), 1);
});

test('three dice', () => {
  const dice = sumOf({ first: 1, p: new Float64Array(6).fill(1 / 6) }, 3);
  assert.equal(dice.first, 3);
  near(cdf(dice, 3), 1 / 216);
  near(cdf(dice, 10), 0.5);
  assert.equal(quantile(dice, 0.5 - 1e-9), 10);
  assert.equal(quantile(dice, 0.5 + 1e-9), 11);
  assert.equal(quantile(dice, 1), 18);
});

test('the mean of a sum is the sum of means, its variance that of variances, and its probabilities add up to 1', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 1, max: 100 }), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 0, max: 3 }),
      fc.integer({ min: 1, max: 400 }),
      (weights, first, times) => {
        const whole = weights.reduce((a, b) => a + b, 0);
        const one: CountDistribution = { first, p: Float64Array.from(weights, (weight) => weight / whole) };
        const sum = sumOf(one, times);
        near(
          sum.p.reduce((a, b) => a + b, 0),
          1,
        );
        near(moments(sum).mean, times * moments(one).mean, 1e-7);
        near(moments(sum).sd, Math.sqrt(times) * moments(one).sd, 1e-6);
      },
    ),
    { numRuns: 50 },
  );
});
