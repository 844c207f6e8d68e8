// Quantiles of a figure over many nights. Figures may be missing in a night (a quota that was never gone).

import { quantileSorted } from 'simple-statistics';

export interface Spread {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

/** Share of nights left out at each end of a band: the band is 0.5 % to 99.5 %. */
export const TAIL = 0.005;

/** Undefined when no night has the figure. Throws for NaN, which sorting would hide. */
export function spread(values: readonly number[], tail: number = TAIL): Spread | undefined {
  if (values.some((value) => Number.isNaN(value))) throw new RangeError('NaN among the values');
  if (values.length === 0) return undefined;
  const sorted = Float64Array.from(values).sort();
  const at = (share: number) => quantileSorted(sorted as unknown as number[], share);
  return { low: at(tail), median: at(0.5), high: at(1 - tail) };
}
