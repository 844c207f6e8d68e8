// A quantile with its interval from order statistics: the r-th and the s-th smallest of n values hold the quantile between
// them with a binomial probability, whatever the values are distributed like.
// (David and Nagaraja, Order Statistics, 3rd edition, section 7.1.)

import { binomialCdf } from './distributions.ts';
import { CONFIDENCE } from './share-interval.ts';

export interface QuantileRanks {
  /** From 1; undefined when that end of the interval lies beyond all values, because there are too few. */
  readonly low: number | undefined;
  readonly high: number | undefined;
  /** Probability that the quantile lies between the two, for values without ties; more with ties. */
  readonly coverage: number;
}

/** Whether so many values have an interval with both its ends among them. */
const enough = (n: number, p: number, confidence: number): boolean => p ** n + (1 - p) ** n <= 1 - confidence;

/** Ranks of the shortest interval around rank `p * n` that has the coverage. */
export function quantileRanks(n: number, p: number, confidence = CONFIDENCE): QuantileRanks {
  // How many values lie below the quantile is binomial. Rank 0 stands for minus infinity, rank n + 1 for infinity.
  const below = Float64Array.from({ length: n + 2 }, (_, rank) => binomialCdf(rank - 1, n, p));
  const cdf = (rank: number) => (rank > n ? 1 : (below[rank] ?? 0));
  const [lowest, highest] = enough(n, p, confidence) ? [1, n] : [0, n + 1];
  const middle = Math.max(lowest, Math.round(p * n));
  let best = { low: lowest, high: highest, coverage: cdf(highest) - cdf(lowest) };
  // Once the lower end alone is further off than the best interval is long, there is no better one below.
  for (let low = middle; low >= lowest && middle - low <= best.high - best.low; low--) {
    const high = firstRank(low, highest, (rank) => cdf(rank) - cdf(low) >= confidence);
    if (high === undefined) continue;
    const longer = high - low - (best.high - best.low);
    const coverage = cdf(high) - cdf(low);
    if (longer < 0 || (longer === 0 && coverage > best.coverage)) best = { low, high, coverage };
  }
  return {
    low: best.low === 0 ? undefined : best.low,
    high: best.high > n ? undefined : best.high,
    coverage: best.coverage,
  };
}

/** The first rank in [from, to] for which a condition holds that holds for all later ones; undefined when for none. */
function firstRank(from: number, to: number, holds: (rank: number) => boolean): number | undefined {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return holds(low) ? low : undefined;
}

export interface QuantileEstimate {
  /** The smallest value that a share `p` of the values does not pass. */
  readonly value: number;
  /** -Infinity or Infinity where there are too few values for that end. */
  readonly low: number;
  readonly high: number;
  readonly coverage: number;
}

/** @param sorted ascending; may end in Infinity, for what never came */
export function quantileEstimate(sorted: ArrayLike<number>, p: number, confidence = CONFIDENCE): QuantileEstimate {
  const n = sorted.length;
  if (n === 0) throw new RangeError('a quantile of no values');
  const at = (rank: number | undefined, beyond: number) => (rank === undefined ? beyond : (sorted[rank - 1] ?? beyond));
  const ranks = quantileRanks(n, p, confidence);
  return {
    // The product may be a hair above a whole number, as 0.07 * 100 is.
    value: at(Math.max(1, Math.ceil(p * n - 1e-9)), Number.POSITIVE_INFINITY),
    low: at(ranks.low, Number.NEGATIVE_INFINITY),
    high: at(ranks.high, Number.POSITIVE_INFINITY),
    coverage: ranks.coverage,
  };
}

/** The least number of values of which an interval has both ends. */
export function leastValues(p: number, confidence = CONFIDENCE): number {
  let n = 1;
  while (!enough(n, p, confidence)) n++;
  return n;
}
