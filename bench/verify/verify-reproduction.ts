// The files of a reproduction: bands, medians and verdicts made again from the nights on file and the published figures, the
// nights held against what they say twice, and the recorded night of each client against its own books.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Night } from '../night.ts';
import { FIGURES_FILE, NIGHTS_FILE, reproductionFiles, seriesNightOf } from '../reproduce/files.ts';
import {
  BUDGET_CLIENT,
  nightsOf,
  type ReproduceSettings,
  SERIES_CLIENTS,
  Series,
  type SeriesClient,
  type SeriesNight,
  seriesNight,
} from '../reproduce/series.ts';
import { csvRows, numberIn } from '../results-folder/open.ts';
import { compareText, type Problem } from './compare-text.ts';
import { contradictions, type SeriesTask } from './series-identities.ts';

/** The nights that the folder has the books of. */
export interface Recorded {
  readonly naive: Night;
  readonly guarded: Night;
}

/** Returns how many nights were read. */
export async function verifyReproduction(
  folder: string,
  settings: ReproduceSettings,
  task: SeriesTask,
  recorded: Recorded,
  problem: Problem,
): Promise<number> {
  const series = await readSeries(folder, settings, problem);
  for (const night of series.nights)
    for (const identity of contradictions(night, task))
      problem(NIGHTS_FILE, `${night.client}, seed ${night.seed}: ${identity} does not hold`);
  const onWall = settings.wall !== undefined;
  const onRecord = {
    naive: seriesNight('naive', recorded.naive),
    guarded: seriesNight('guarded', recorded.guarded),
    [BUDGET_CLIENT]: onWall ? await budgetNight(folder, settings) : budgetTwin(series, settings),
  };
  // On real time the night on record is none of the series.
  for (const client of onWall ? [] : (['naive', 'guarded'] as const)) {
    if (JSON.stringify(series.of(client)[0]) !== JSON.stringify(onRecord[client]))
      problem(NIGHTS_FILE, `${client}, seed ${settings.seed}: is not the night whose books are in ${client}/`);
  }
  for (const [file, text] of Object.entries(reproductionFiles(series.compare(onRecord))))
    compareText(file, readFileSync(join(folder, file), 'utf8'), text, 'nights and the published figures', problem);
  return series.nights.length;
}

/** Nothing else is on file of the night with the small budget: it is the first of its series, on the other clock. */
function budgetTwin(series: Series, { seed }: ReproduceSettings): SeriesNight {
  return series.of(BUDGET_CLIENT)[0] ?? { client: BUDGET_CLIENT, seed, values: [], cells: [] };
}

/** On real time it has no twin: what the file says of it is believed, and only its verdicts are made again. */
async function budgetNight(folder: string, { seed }: ReproduceSettings): Promise<SeriesNight> {
  const values: (number | undefined)[] = [];
  for await (const row of csvRows(join(folder, FIGURES_FILE)))
    if (row.client === BUDGET_CLIENT) values.push(row.this_night === '' ? undefined : numberIn(row, 'this_night'));
  return { client: BUDGET_CLIENT, seed, values, cells: [] };
}

/** Reads the nights, which must be those of the command, in its order. */
async function readSeries(folder: string, settings: ReproduceSettings, problem: Problem): Promise<Series> {
  const expected = SERIES_CLIENTS.flatMap((client) =>
    Array.from({ length: nightsOf(client, settings) }, (_, index): [SeriesClient, number] => [
      client,
      settings.seed + index,
    ]),
  );
  const series = new Series();
  let index = 0;
  for await (const row of csvRows(join(folder, NIGHTS_FILE))) {
    const [client, seed] = expected[index++] ?? [];
    const night = seriesNightOf(row);
    if (night === undefined || night.client !== client || night.seed !== seed)
      problem(
        NIGHTS_FILE,
        `line ${index + 1}: is ${row.client}, seed ${row.seed}, where ${client}, seed ${seed} belongs`,
      );
    if (night !== undefined) series.add(night);
  }
  if (index !== expected.length) problem(NIGHTS_FILE, `has ${index} nights instead of ${expected.length}`);
  return series;
}
