// A share of nights with its interval: Clopper and Pearson's, which holds the true share at least as often as it says.

import { betaQuantile } from './distributions.ts';

export interface ShareEstimate {
  readonly count: number;
  readonly of: number;
  readonly share: number;
  readonly low: number;
  readonly high: number;
}

export const CONFIDENCE = 0.95;

export function shareEstimate(count: number, of: number, confidence = CONFIDENCE): ShareEstimate {
  if (!(count >= 0 && count <= of && of > 0)) throw new RangeError(`${count} of ${of} is no share`);
  const tail = (1 - confidence) / 2;
  return {
    count,
    of,
    share: count / of,
    low: count === 0 ? 0 : betaQuantile(tail, count, of - count + 1),
    high: count === of ? 1 : betaQuantile(1 - tail, count + 1, of - count),
  };
}
