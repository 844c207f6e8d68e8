// The library's distributions against printed tables, and the binomial against its own sum.

import assert from 'node:assert/strict';
import test from 'node:test';
import { betaQuantile, binomialCdf, normalOutside, normalQuantile, tQuantile } from './distributions.ts';

const near = (got: number, expected: number, what: string) =>
  assert.ok(Math.abs(got - expected) <= 1e-6 * Math.max(1, Math.abs(expected)), `${what}: ${got}, not ${expected}`);

test('quantiles of the t, normal and beta distributions', () => {
  // Student's t: two-sided 5 % and 1 % points.
  const table: readonly (readonly [number, number, number])[] = [
    [0.975, 1, 12.7062047],
    [0.975, 5, 2.5705818],
    [0.995, 10, 3.1692727],
    [0.975, 199, 1.9719565],
    [1 - 1e-5, 1999, 4.2751476],
  ];
  for (const [p, df, expected] of table) near(tQuantile(p, df), expected, `t ${p} of ${df}`);
  near(normalQuantile(0.975), 1.959964, 'normal');
  near(normalQuantile(0.99), 2.3263479, 'normal');
  near(normalOutside(1.959964), 0.05, 'outside');
  near(betaQuantile(0.025, 4950, 51), 0.9868373, 'beta');
  near(betaQuantile(0.975, 1, 9), 0.3362671, 'beta');
});

test('the binomial is the sum of its probabilities', () => {
  for (const [n, p] of [
    [1, 0.5],
    [12, 0.3],
    [60, 0.99],
  ] as const) {
    let probability = (1 - p) ** n;
    let sum = 0;
    for (let k = 0; k <= n; k++) {
      sum += probability;
      near(binomialCdf(k, n, p), sum, `P(K <= ${k}) of ${n}, ${p}`);
      probability *= ((n - k) / (k + 1)) * (p / (1 - p));
    }
    assert.equal(binomialCdf(-1, n, p), 0);
  }
});
