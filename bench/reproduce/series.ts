// The series of nights that the published figures are held against, as plain numbers: the published figures of each night and
// the cells of its table. `storm reproduce` makes them of nights, `storm verify` of a file, and all that follows is the same.

import type { Night } from '../night.ts';
import type { WallSettings } from '../run/wall-experiment.ts';
import { type ComparedTable, compareTable, TABLE_COLUMNS, tableCells } from './billing-band.ts';
import {
  BUDGET_FIGURES,
  type ComparedFigure,
  FigureFold,
  GUARDED_FIGURES,
  NAIVE_FIGURES,
  PROGRESS_FIGURES,
  type PublishedFigure,
} from './figures.ts';
import { BILLING_TABLE } from './published.ts';

export const BUDGET_CLIENT = 'guarded, budget of 9,000';

/** Figures of each client, by the name that it has in the files. */
export const SERIES = {
  naive: [...NAIVE_FIGURES, ...PROGRESS_FIGURES],
  guarded: GUARDED_FIGURES,
  [BUDGET_CLIENT]: BUDGET_FIGURES,
} as const satisfies Readonly<Record<string, readonly PublishedFigure[]>>;
export type SeriesClient = keyof typeof SERIES;
export const SERIES_CLIENTS = Object.keys(SERIES) as readonly SeriesClient[];

/** Name of each of the 72 cells, in the order of tableCells. */
export const CELL_NAMES: readonly string[] = BILLING_TABLE.flatMap((_, minute) =>
  TABLE_COLUMNS.map((column) => `minute ${minute}: ${column}`),
);

export interface ReproduceSettings {
  readonly seed: number;
  readonly nights: number;
  /** For the nights over HTTP on real time; simulated time without it. */
  readonly wall?: WallSettings | undefined;
}

/** Of the night with the small budget: enough for its one uncertain figure. */
export const BUDGET_NIGHTS = 200;

/** The command that makes the same folder again. */
export function reproduceCommand({ seed, nights, wall }: ReproduceSettings): string {
  const on = wall === undefined ? '' : ` --clock wall --speed ${wall.speed} --band-nights ${wall.bandNights}`;
  return `storm reproduce --seed ${seed} --nights ${nights}${on}`;
}

/** How many nights of a client are in its series. */
export function nightsOf(client: SeriesClient, { nights }: ReproduceSettings): number {
  return client === BUDGET_CLIENT ? Math.min(BUDGET_NIGHTS, nights) : nights;
}

const COMMAND =
  /^storm reproduce --seed ([0-9]{1,16}) --nights ([0-9]{1,6})(?: --clock wall --speed ([0-9.]{1,8}) --band-nights ([0-9]{1,6}))?$/;

/** What a folder's command says, if it is one of `storm reproduce`. */
export function reproduceSettings(command: string): ReproduceSettings | undefined {
  const [, seed, nights, speed, band] = COMMAND.exec(command) ?? [];
  if (seed === undefined || nights === undefined) return undefined;
  const wall = speed === undefined ? {} : { wall: { speed: Number(speed), bandNights: Number(band) } };
  return { seed: Number(seed), nights: Number(nights), ...wall };
}

export interface SeriesNight {
  readonly client: SeriesClient;
  readonly seed: number;
  /** One a figure of the client; undefined when the night has none. */
  readonly values: readonly (number | undefined)[];
  /** Of the naive client, which alone has a published table; empty for the others. */
  readonly cells: readonly number[];
}

export function seriesNight(client: SeriesClient, night: Night): SeriesNight {
  const values = SERIES[client].map(({ of }) => of(night));
  return { client, seed: night.seed, values, cells: client === 'naive' ? tableCells(night) : [] };
}

/** Everything that is held against the series and written to files. */
export interface Comparison {
  readonly naive: readonly ComparedFigure[];
  readonly progress: readonly ComparedFigure[];
  readonly table: ComparedTable;
  readonly guarded: readonly ComparedFigure[];
  readonly budget: readonly ComparedFigure[];
  readonly nights: readonly SeriesNight[];
}

export class Series {
  readonly nights: SeriesNight[] = [];

  add(night: SeriesNight): void {
    this.nights.push(night);
  }

  of(client: SeriesClient): readonly SeriesNight[] {
    return this.nights.filter((night) => night.client === client);
  }

  /** The figures of the nights on record, and the published ones, against the bands of the series. */
  compare(recorded: Readonly<Record<SeriesClient, SeriesNight>>): Comparison {
    const figuresOf = (client: SeriesClient) => {
      const fold = new FigureFold(SERIES[client]);
      for (const { values } of this.of(client)) fold.add(values);
      return fold.compare(recorded[client].values);
    };
    const naive = figuresOf('naive');
    const tables = this.of('naive').map(({ cells }) => cells);
    return {
      naive: naive.slice(0, NAIVE_FIGURES.length),
      progress: naive.slice(NAIVE_FIGURES.length),
      table: compareTable(recorded.naive.cells, tables),
      guarded: figuresOf('guarded'),
      budget: figuresOf(BUDGET_CLIENT),
      nights: this.nights,
    };
  }
}
