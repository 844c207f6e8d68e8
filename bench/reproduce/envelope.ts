// A band around a whole table: so wide that all cells of a night lie in it together in 99 nights of 100, by chance alone.
// Each cell has its own median and, to each side of it, its own scale, since counts near the end of a night lean to one
// side; the band is median ± u * scale, and u is what 99 % of the nights stay within in their most extreme cell.
// (Directional-quantile global envelope: Myllymäki, Mrkvička, Grabarnik, Seijo, Hahn, J. R. Stat. Soc. B 79 (2017).)

import { quantileSorted } from 'simple-statistics';

export interface Envelope {
  readonly u: number;
  /** Whole counts, rounded outwards. */
  readonly low: readonly number[];
  readonly median: readonly number[];
  readonly high: readonly number[];
}

/** The scale of a side: how far its 2.5 % quantile is from the median; at least one call, since cells are counts. */
const SIDE = 0.025;
const MIN_SCALE = 1;

/**
 * @param nights a row of cells for each night, all of one length
 * @param coverage share of nights that lie wholly inside
 * @param side quantile of a cell whose distance to the median is the scale of that side
 */
export function envelope(nights: readonly ArrayLike<number>[], coverage = 0.99, side = SIDE): Envelope {
  const cells = nights[0]?.length ?? 0;
  const scales = Array.from({ length: cells }, (_, cell) => scaleOf(nights, cell, side));
  const extremes = nights.map((night) => Math.max(...scales.map((scale, cell) => distance(night[cell] ?? 0, scale))));
  const u = quantileSorted(
    extremes.sort((a, b) => a - b),
    coverage,
  );
  return {
    u,
    low: scales.map(({ median, below }) => Math.max(0, Math.floor(median - u * below))),
    median: scales.map(({ median }) => median),
    high: scales.map(({ median, above }) => Math.ceil(median + u * above)),
  };
}

interface Scale {
  readonly median: number;
  readonly below: number;
  readonly above: number;
}

function scaleOf(nights: readonly ArrayLike<number>[], cell: number, side: number): Scale {
  const sorted = nights.map((night) => night[cell] ?? 0).sort((a, b) => a - b);
  const median = quantileSorted(sorted, 0.5);
  const below = Math.max(MIN_SCALE, median - quantileSorted(sorted, side));
  const above = Math.max(MIN_SCALE, quantileSorted(sorted, 1 - side) - median);
  return { median, below, above };
}

function distance(value: number, { median, below, above }: Scale): number {
  return value < median ? (median - value) / below : (value - median) / above;
}
