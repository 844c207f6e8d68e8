// Whether memory is flat: medians, since a garbage collector makes teeth of a flat line.

import { medianSorted } from 'simple-statistics';

export interface Flatness {
  /** Median of the second quarter, when what is loaded once is loaded. */
  readonly early: number;
  /** Median of the last quarter. */
  readonly late: number;
  readonly ratio: number;
}

/** Of samples taken at equal distances; the first quarter is the warm-up. */
export function flatness(samples: readonly number[]): Flatness {
  const quarter = Math.floor(samples.length / 4);
  if (quarter === 0) throw new Error(`${samples.length} samples are too few to say whether memory is flat`);
  const early = median(samples.slice(quarter, 2 * quarter));
  const late = median(samples.slice(-quarter));
  return { early, late, ratio: late / early };
}

const median = (values: readonly number[]): number => medianSorted([...values].sort((a, b) => a - b));
