// How faithful a night on real time is: the share of its minute cells that leave the band of virtual nights of the same
// scenario and strategy. The band is one for all cells together, which a night leaves with any of them once in a hundred.

import type { Night } from '../night.ts';
import { type Envelope, envelope } from '../reproduce/envelope.ts';
import type { NightPool } from '../run/night-pool.ts';
import type { Scenario } from '../scenario/scenario.ts';

/** The platform's counts of a minute that are compared. */
const CELL_COLUMNS = ['total', 'billed', 'edge', 'soft', 'quota'] as const;

/** Of 100 virtual nights so many lie in the band with all cells. */
const COVERAGE = 0.99;
/**
 * Some cells hardly ever vary and then by hundreds: the minute in which one night in fifty has ended, or has its quota gone.
 * The scale of a side must see such nights, or they make the band of every other cell a hundred times as wide.
 */
const SIDE = 0.005;

export interface CellOutside {
  readonly minute: number;
  readonly column: (typeof CELL_COLUMNS)[number];
  readonly count: number;
  readonly low: number;
  readonly high: number;
}

export interface Faithfulness {
  /** Virtual nights that the band was made of. */
  readonly nights: number;
  readonly cells: number;
  /** Share of the cells that lie outside. */
  readonly share_outside: number;
  readonly outside: readonly CellOutside[];
}

export interface Band {
  readonly nights: number;
  readonly envelope: Envelope;
}

/** @param firstSeed of the virtual nights; theirs count up from it */
export async function virtualBand(
  pool: NightPool,
  scenario: Scenario,
  strategy: string,
  firstSeed: number,
  nights: number,
): Promise<Band> {
  const rows: number[][] = [];
  for await (const night of pool.series({ scenario, strategy, clock: 'virtual', firstSeed, nights }))
    rows.push(cellsOf(night));
  return bandOf(rows);
}

/** Nights end at their own time: what a night no longer has is 0. */
export function bandOf(rows: readonly (readonly number[])[]): Band {
  const cells = Math.max(...rows.map(({ length }) => length));
  const padded = rows.map((row) => Uint32Array.from({ length: cells }, (_, cell) => row[cell] ?? 0));
  return { nights: rows.length, envelope: envelope(padded, COVERAGE, SIDE) };
}

export function cellsOf({ platform }: Pick<Night, 'platform'>): number[] {
  return platform.minutes.flatMap((row) => CELL_COLUMNS.map((column) => row[column]));
}

export function faithfulness(night: Pick<Night, 'platform'>, { nights, envelope: { low, high } }: Band): Faithfulness {
  const here = cellsOf(night);
  const cells = Math.max(here.length, low.length);
  const outside: CellOutside[] = [];
  for (let cell = 0; cell < cells; cell++) {
    const [count, from, to] = [here[cell] ?? 0, low[cell] ?? 0, high[cell] ?? 0];
    const column = CELL_COLUMNS[cell % CELL_COLUMNS.length] ?? 'total';
    const minute = Math.floor(cell / CELL_COLUMNS.length);
    if (count < from || count > to) outside.push({ minute, column, count, low: from, high: to });
  }
  return { nights, cells, share_outside: cells === 0 ? 0 : outside.length / cells, outside };
}
