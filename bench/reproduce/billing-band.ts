// The published table of 18 minutes and 4 columns against the nights, as one: a single band for all 72 cells.

import type { Night } from '../night.ts';
import { type Envelope, envelope } from './envelope.ts';
import { BILLING_TABLE } from './published.ts';

export const TABLE_COLUMNS = ['total', 'billed', 'edge_rejected', 'soft_limited'] as const;

/** The 72 cells of a night, row by row; a minute that it does not have is 0. */
export function tableCells(night: Night): number[] {
  return BILLING_TABLE.flatMap((_, minute) => {
    const row = night.platform.minutes[minute];
    return row === undefined ? [0, 0, 0, 0] : [row.total, row.billed, row.edge, row.soft];
  });
}

export interface ComparedCell {
  readonly minute: number;
  readonly column: (typeof TABLE_COLUMNS)[number];
  readonly published: number;
  readonly thisNight: number;
  readonly low: number;
  readonly median: number;
  readonly high: number;
  readonly inside: boolean;
}

export interface ComparedTable {
  readonly envelope: Envelope;
  readonly cells: readonly ComparedCell[];
  /** Share of the nights that lie in the band with all cells: 0.99, by how it was made. */
  readonly coverage: number;
}

/** @param here cells of the night on record */
export function compareTable(here: readonly number[], nights: readonly (readonly number[])[]): ComparedTable {
  const band = envelope(nights);
  const cells = BILLING_TABLE.flatMap((row, minute) =>
    TABLE_COLUMNS.map((column, c): ComparedCell => {
      const index = minute * TABLE_COLUMNS.length + c;
      const [low, median, high] = [band.low[index] ?? 0, band.median[index] ?? 0, band.high[index] ?? 0];
      const published = row[c] ?? 0;
      return {
        minute,
        column,
        published,
        thisNight: here[index] ?? 0,
        low,
        median,
        high,
        inside: published >= low && published <= high,
      };
    }),
  );
  const inBand = (night: readonly number[]) =>
    night.every((value, i) => value >= (band.low[i] ?? 0) && value <= (band.high[i] ?? 0));
  return { envelope: band, cells, coverage: nights.filter(inBand).length / nights.length };
}
