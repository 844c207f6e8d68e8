// The distributions that intervals are made of, from jstat; the tests hold them against printed tables.

import jstat from 'jstat';

const { jStat } = jstat;

/** The x that a Student t variable with `df` degrees of freedom is below with probability `p`. */
export function tQuantile(p: number, df: number): number {
  return jStat.studentt.inv(p, df);
}

export function normalQuantile(p: number): number {
  return jStat.normal.inv(p, 0, 1);
}

/** Share of a standard normal variable outside of `-x` to `x`. */
export function normalOutside(x: number): number {
  return 2 * jStat.normal.cdf(-x, 0, 1);
}

export function betaQuantile(p: number, a: number, b: number): number {
  return jStat.beta.inv(p, a, b);
}

/** P(K <= k) where K counts successes in `n` trials that succeed with probability `p`. */
export function binomialCdf(k: number, n: number, p: number): number {
  if (k < 0) return 0;
  return k >= n ? 1 : jStat.ibeta(1 - p, n - k, k + 1);
}
