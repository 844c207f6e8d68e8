// `storm reproduce`: the published storm night, figure by figure, and whether it was reproduced.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Argv } from 'yargs';
import { TABLE_COLUMNS } from '../../reproduce/billing-band.ts';
import type { ComparedFigure } from '../../reproduce/figures.ts';
import { reproductionFiles } from '../../reproduce/files.ts';
import { BILLING_TABLE, type Published } from '../../reproduce/published.ts';
import {
  inLockstep,
  type RecordNights,
  type Reproduction,
  recordedPart,
  reproduce,
  score,
} from '../../reproduce/reproduce.ts';
import { BUDGET_NIGHTS, type ReproduceSettings, reproduceCommand } from '../../reproduce/series.ts';
import { freeResultsPath, ResultFolder, removeTemporary, temporaryFolder } from '../../results-folder/result-folder.ts';
import { sealExperiment } from '../../run/experiment.ts';
import { NightPool } from '../../run/night-pool.ts';
import { runWallExperiment, wallBands } from '../../run/wall-experiment.ts';
import { ExitError } from '../exit-codes.ts';
import { intOption } from '../options.ts';
import { line, mark, progress, shown, table } from '../screen.ts';
import { type WallOptions, wallOptions, wallSettings, watchRun } from '../wall-options.ts';
import { concludeWall, printWall } from '../wall-screen.ts';

export const command = 'reproduce';
export const describe = 'Reproduce the published storm night over real HTTP and say, figure by figure, whether it did';

/** Fewer nights would leave the bands to chance. */
const MIN_NIGHTS = 200;

export const builder = (yargs: Argv) =>
  wallOptions(yargs)
    .option('clock', {
      choices: ['lockstep', 'wall'] as const,
      default: 'lockstep' as const,
      describe: 'of the nights over HTTP: simulated time, or real time',
    })
    .option('seed', {
      default: 1,
      coerce: intOption('--seed', 0, Number.MAX_SAFE_INTEGER - 10_000_000),
      describe: 'seed of the night over HTTP, and of the first virtual one',
    })
    .option('nights', {
      default: 1000,
      coerce: intOption('--nights', MIN_NIGHTS, 100_000),
      describe: 'virtual nights of each client',
    })
    .option('workers', { coerce: intOption('--workers', 1, 256), describe: 'worker threads; all cores when left out' })
    .option('out', {
      type: 'string',
      describe: 'results folder, which must not exist; results/reproduce when left out',
    })
    .example('$0 reproduce', 'what npm start runs')
    .example('$0 reproduce --clock wall --speed 5', 'the nights over HTTP on real time')
    .example('$0 reproduce --seed 7 --nights 5000', 'another night, narrower doubt about the bands');

export interface ReproduceOptions extends WallOptions {
  readonly seed: number;
  readonly nights: number;
  readonly workers?: number | undefined;
  readonly out?: string | undefined;
}

export async function handler(options: ReproduceOptions): Promise<void> {
  const wall = wallSettings(options);
  const settings: ReproduceSettings = { seed: options.seed, nights: options.nights, wall };
  const recorded = recordedPart(settings);
  const folder = new ResultFolder(options.out ?? freeResultsPath('reproduce'));
  const pool = new NightPool(options.workers);
  line(`${mark.strong('storm night')}: seed ${options.seed}, scenario ${recorded.loaded.scenario.hash.slice(0, 12)}`);
  line(introduction(settings));
  const { draft } = folder;
  const bar = progress('nights', (wall === undefined ? 2 : 0) + 2 * options.nights + BUDGET_NIGHTS, options.quiet);
  const record =
    wall === undefined
      ? inLockstep(pool, draft, bar.step)
      : onWall(await wallBands(recorded, pool), draft, options, bar.stop);
  let result: Reproduction;
  try {
    result = await reproduce(settings, pool, bar.step, record);
    // A night that was cut short has figures that say nothing.
    const files = result.partial ? {} : reproductionFiles(result);
    for (const [name, text] of Object.entries(files)) writeFileSync(join(draft, name), text);
    sealExperiment(recorded, draft, reproduceCommand(settings), result.partial);
    folder.commit();
  } finally {
    bar.stop();
    await pool.close();
    folder.discard();
  }
  if (!result.partial) print(result);
  conclude(result, folder.shown);
}

function introduction({ nights, wall }: ReproduceSettings): string {
  const virtual = `${shown(nights)} virtual nights of each`;
  if (wall === undefined) return `one night of each client over HTTP in lockstep, then ${virtual}`;
  return `${virtual}, then one night of each client over HTTP on real time at speed ${wall.speed}`;
}

/** The night with the small budget runs beside the others, and leaves no books. */
function onWall(
  bands: Awaited<ReturnType<typeof wallBands>>,
  draft: string,
  options: ReproduceOptions,
  begun: () => void,
): RecordNights {
  return async (recorded, budget) => {
    begun();
    const { seed, wall } = recorded;
    const elsewhere = temporaryFolder('storm-budget-');
    const spec = {
      scenario: budget,
      strategy: 'guarded',
      seed,
      speed: wall?.speed ?? 1,
      folder: join(elsewhere, 'guarded'),
    };
    try {
      const { results, beside, partial } = await runWallExperiment(recorded, bands, draft, watchRun(options), [spec]);
      const [night] = beside;
      if (night === undefined) throw new Error('the night with the small budget did not run');
      return { results, budget: night, partial };
    } finally {
      removeTemporary(elsewhere);
    }
  };
}

function print(result: Reproduction): void {
  section('naive client', figureTable(result.naive));
  section('naive client, lines of its console', figureTable(result.progress));
  section('platform, minute by minute: published, and [band] of the nights', billingTable(result));
  const { u } = result.table.envelope;
  line(
    mark.faint(
      `one band for all ${result.table.cells.length} cells: median ± ${u.toFixed(2)} × (distance of the median to the 2.5 % or 97.5 % quantile,`,
    ),
  );
  line(
    mark.faint(
      `at least 1), so wide that ${(100 * result.table.coverage).toFixed(1)} % of the nights lie in it with every cell; cells outside are marked !`,
    ),
  );
  section('guarded client', figureTable(result.guarded));
  section('guarded client with a budget of 9,000 calls', figureTable(result.budget));
  section('guarded client, mean of the nights against N (1 - q^5) / (1 - q), q = 0.31', meansTable(result));
  line();
  printWall(result.results);
  if (result.clocksAgree === undefined) return;
  line(
    `the nights over HTTP and the virtual nights with the same seed: ${result.clocksAgree ? mark.good('same books, byte for byte') : mark.bad('books DIFFER')}`,
  );
}

function section(title: string, text: string): void {
  line();
  line(mark.strong(title));
  line(text);
}

function published(value: Published): string {
  return typeof value === 'number' ? shown(value) : `${shown(value[0])} to ${shown(value[1])}`;
}

const judged = (inside: boolean): string => (inside ? mark.good('inside') : mark.bad('OUTSIDE'));

function figureTable(figures: readonly ComparedFigure[]): string {
  const head = ['figure', 'published', 'this night', '0.5 %', 'median', '99.5 %', ''];
  const rows = figures.map(({ name, published: value, thisNight, spread, inside }) => [
    name,
    published(value).padStart(9),
    thisNight,
    spread?.low,
    spread?.median,
    spread?.high,
    judged(inside),
  ]);
  return table(head, rows);
}

function billingTable({ table: { cells } }: Reproduction): string {
  const rows = BILLING_TABLE.map((_, minute) => [
    minute,
    ...cells
      .filter((cell) => cell.minute === minute)
      .map(
        (cell) =>
          `${String(cell.published).padStart(5)}${cell.inside ? ' ' : mark.bad('!')} [${shown(cell.low)}, ${shown(cell.high)}]`,
      ),
  ]);
  return table(['minute', ...TABLE_COLUMNS], rows);
}

function meansTable({ means }: Reproduction): string {
  const rows = means.map(({ name, closedForm, mean, tolerance, inside }) => [
    name,
    closedForm.toFixed(1),
    mean.toFixed(1),
    `± ${tolerance.toFixed(1)}`,
    judged(inside),
  ]);
  return table(['figure', 'closed form', 'mean', '3 standard errors', ''], rows);
}

function conclude(result: Reproduction, path: string): void {
  const { inside, of } = score(result);
  line(`results: ${path}`);
  line();
  if (result.discrepancies > 0)
    throw new ExitError('booksDiffer', `the books differ in ${result.discrepancies} places`);
  concludeWall(result.results, result.partial, path);
  if (inside < of) throw new ExitError('checkFailed', `NOT reproduced: ${of - inside} of ${of} figures lie outside`);
  line(mark.good(`reproduced: all ${of} published figures lie where the nights let them, and every book balances`));
}
