// The comparison as files of the results folder, and the nights that it was made of, so that it can be made again.

import { toCsv } from '../books/csv.ts';
import { numberIn, type TextRow } from '../results-folder/open.ts';
import type { ComparedFigure } from './figures.ts';
import {
  BUDGET_CLIENT,
  CELL_NAMES,
  type Comparison,
  SERIES,
  SERIES_CLIENTS,
  type SeriesClient,
  type SeriesNight,
} from './series.ts';

export const FIGURES_FILE = 'reproduction.csv';
export const NIGHTS_FILE = 'reproduction-nights.csv';

const FIGURE_COLUMNS = [
  'client',
  'figure',
  'published',
  'published_to',
  'this_night',
  'low',
  'median',
  'high',
  'inside',
] as const;
const CELL_COLUMNS = ['minute', 'column', 'published', 'this_night', 'low', 'median', 'high', 'inside'] as const;

function figureRows(client: string, figures: readonly ComparedFigure[]) {
  return figures.map(({ name, published, thisNight, spread, inside }) => ({
    client,
    figure: name,
    published: typeof published === 'number' ? published : published[0],
    published_to: typeof published === 'number' ? undefined : published[1],
    this_night: thisNight,
    low: spread?.low,
    median: spread?.median,
    high: spread?.high,
    inside: inside ? 1 : 0,
  }));
}

const figureNames = (client: SeriesClient): readonly string[] => SERIES[client].map(({ name }) => name);
/** A column a figure, whichever client has it, and one a cell of the table. */
const NIGHT_COLUMNS = ['client', 'seed', ...new Set(SERIES_CLIENTS.flatMap(figureNames)), ...CELL_NAMES];

function nightRow({ client, seed, values, cells }: SeriesNight): Record<string, string | number | undefined> {
  const figures = figureNames(client).map((name, index) => [name, values[index]] as const);
  const table = CELL_NAMES.map((name, index) => [name, cells[index]] as const);
  return { client, seed, ...Object.fromEntries([...figures, ...table]) };
}

/** The way back; undefined when the row is of no client that has a series. */
export function seriesNightOf(row: TextRow): SeriesNight | undefined {
  const client = SERIES_CLIENTS.find((each) => each === row.client);
  if (client === undefined) return undefined;
  const values = figureNames(client).map((name) => (row[name] === '' ? undefined : numberIn(row, name)));
  const cells = client === 'naive' ? CELL_NAMES.map((name) => numberIn(row, name)) : [];
  return { client, seed: numberIn(row, 'seed'), values, cells };
}

/** Name and text of each file. */
export function reproductionFiles({
  naive,
  progress,
  guarded,
  budget,
  table,
  nights,
}: Comparison): Readonly<Record<string, string>> {
  const rows = [
    ...figureRows('naive', [...naive, ...progress]),
    ...figureRows('guarded', guarded),
    ...figureRows(BUDGET_CLIENT, budget),
  ];
  const cells = table.cells.map(({ thisNight, inside, ...cell }) => ({
    ...cell,
    this_night: thisNight,
    inside: inside ? 1 : 0,
  }));
  return {
    [FIGURES_FILE]: toCsv(FIGURE_COLUMNS, rows),
    'reproduction-by-minute.csv': toCsv(CELL_COLUMNS, cells),
    [NIGHTS_FILE]: toCsv(NIGHT_COLUMNS, nights.map(nightRow)),
  };
}
