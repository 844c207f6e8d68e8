// The comparison as files of the results folder.

import { toCsv } from '../books/csv.ts';
import type { ComparedFigure } from './figures.ts';
import type { Reproduction } from './reproduce.ts';

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

/** Name and text of each file. */
export function reproductionFiles({
  naive,
  progress,
  guarded,
  budget,
  table,
}: Reproduction): Readonly<Record<string, string>> {
  const rows = [
    ...figureRows('naive', [...naive, ...progress]),
    ...figureRows('guarded', guarded),
    ...figureRows('guarded, budget of 9,000', budget),
  ];
  const cells = table.cells.map(({ thisNight, inside, ...cell }) => ({
    ...cell,
    this_night: thisNight,
    inside: inside ? 1 : 0,
  }));
  return { 'reproduction.csv': toCsv(FIGURE_COLUMNS, rows), 'reproduction-by-minute.csv': toCsv(CELL_COLUMNS, cells) };
}
