// The published table of 18 minutes and 4 columns against the nights, as one: a single band for all 72 cells.

import type { Night } from '../night.ts';
import { type Envelope, envelope } from './envelope.ts';
import { BILLING_TABLE } from './published.ts';

export const TABLE_COLUMNS = ['total', 'billed', 'edge_rejected', 'soft_limited'] as const;

/** The 72 cells of a night, row by row; a minute that it does not have is 0. */
export function tableCells(night: Night): Uint32Array {
  const cells = new Uint32Array(BILLING_TABLE.length * TABLE_COLUMNS.length);
  BILLING_TABLE.forEach((_, minute) => {
    const row = night.platform.minutes[minute];
    if (row !== undefined) cells.set([row.total, row.billed, row.edge, row.soft], minute * TABLE_COLUMNS.length);
  });
  return cells;
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

export function compareTable(night: Night, nights: readonly Uint32Array[]): ComparedTable {
  const band = envelope(nights);
  const here = tableCells(night);
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
  const inBand = (night: Uint32Array) =>
    night.every((value, i) => value >= (band.low[i] ?? 0) && value <= (band.high[i] ?? 0));
  return { envelope: band, cells, coverage: nights.filter(inBand).length / nights.length };
}
