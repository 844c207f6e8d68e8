// `storm run`: a scenario's nights, their books into a results folder, and a summary on the screen.

import type { Argv } from 'yargs';
import { clientFile } from '../../foreign/client-module.ts';
import type { ForeignMethod } from '../../foreign/foreign-night.ts';
import { inputMistake } from '../../input-error.ts';
import { CLOCKS, type ClockName } from '../../night.ts';
import { freeResultsPath, ResultFolder } from '../../results-folder/result-folder.ts';
import type { ClientSettings } from '../../run/client-nights.ts';
import { checkDeterminism } from '../../run/determinism.ts';
import {
  commandOf,
  type Experiment,
  type ExperimentSettings,
  type StrategyResult,
  sealExperiment,
  summaryJson,
} from '../../run/experiment.ts';
import { NightPool } from '../../run/night-pool.ts';
import { runWallExperiment, wallBands } from '../../run/wall-experiment.ts';
import { loadScenario } from '../../scenario/load.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { ExitError } from '../exit-codes.ts';
import { balanceLine, billingTable, comparisonTable, endingsLine } from '../night-screen.ts';
import { concludePartial, runNights, Stopping } from '../nights-run.ts';
import { intOption } from '../options.ts';
import { line, mark, note, table } from '../screen.ts';
import { type WallOptions, wallOptions, wallSettings, watchRun } from '../wall-options.ts';
import { concludeWall, printWall } from '../wall-screen.ts';

export const command = 'run <scenario>';
export const describe = 'Run the nights of a scenario file or preset and write their books';

const METHODS: readonly ForeignMethod[] = ['GET', 'POST'];

export const builder = (yargs: Argv) =>
  wallOptions(yargs)
    .positional('scenario', {
      type: 'string',
      demandOption: true,
      describe: 'a YAML file, or the name of a preset (storm presets)',
    })
    .option('strategy', {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'strategies to run; all of the scenario when left out',
    })
    .option('seed', {
      default: 1,
      coerce: intOption('--seed', 0, Number.MAX_SAFE_INTEGER - 10_000_000),
      describe: 'seed of the first night',
    })
    .option('clock', {
      choices: [...CLOCKS, 'wall'] as const,
      default: 'virtual' as ClockName | 'wall',
      describe: 'virtual: in process; lockstep: over real HTTP; wall: over real HTTP on real time',
    })
    .option('nights', {
      default: 1,
      coerce: intOption('--nights', 1, 1_000_000),
      describe: 'nights a strategy, with seeds that count up',
    })
    .option('workers', { coerce: intOption('--workers', 1, 256), describe: 'worker threads; all cores when left out' })
    .option('out', {
      type: 'string',
      describe: 'results folder, which must not exist; results/<scenario> when left out',
    })
    .option('client', {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'a client module of your own (storm init writes one), over HTTP on simulated time',
    })
    .option('method', { choices: METHODS, default: 'GET' as ForeignMethod, describe: 'method of the --client' })
    .option('concurrency', {
      default: 8,
      coerce: intOption('--concurrency', 1, 1000),
      describe: 'items at once, for a --client that is a function for one item',
    })
    .option('max-calls', {
      default: 200_000,
      coerce: intOption('--max-calls', 1, 10_000_000),
      describe: 'calls after which the night of a --client is cut',
    })
    .option('json', { type: 'boolean', default: false, describe: 'print the summary as JSON and nothing else' })
    .option('check-determinism', {
      type: 'boolean',
      default: false,
      describe: 'run again on both clocks and 1, 2 and 4 workers and compare bytes',
    })
    .example('$0 run storm-night', 'one night of each strategy, on simulated time')
    .example('$0 run storm-night --clock lockstep', 'the same nights through real HTTP')
    .example('$0 run storm-night --clock wall --speed 5', 'the same nights on real time, in a fifth of it')
    .example('$0 run my.yaml --strategy guarded --nights 1000', 'a thousand what-ifs')
    .example('$0 run storm-night --client ./my-client.mjs --strategy guarded', 'your own client beside one')
    .example('$0 run calm --json --out results/baseline', 'for a script');

export interface RunOptions extends WallOptions {
  readonly scenario: string;
  readonly strategy?: readonly string[] | undefined;
  readonly seed: number;
  readonly clock: ClockName | 'wall';
  readonly nights: number;
  readonly workers?: number | undefined;
  readonly out?: string | undefined;
  readonly client?: readonly string[] | undefined;
  readonly method: ForeignMethod;
  readonly concurrency: number;
  readonly maxCalls: number;
  readonly json: boolean;
  readonly checkDeterminism: boolean;
}

export async function handler(options: RunOptions): Promise<void> {
  const loaded = loadScenario(options.scenario);
  const clients = clientsOf(options, loaded.scenario);
  // Who brings a client and names no strategy wants to see the client.
  const asked = options.strategy ?? (clients.length > 0 ? [] : undefined);
  const strategies = chosen(loaded.scenario, asked);
  if (options.checkDeterminism && strategies.length === 0)
    throw inputMistake(
      'command line',
      '--check-determinism',
      'with --client alone',
      'a --strategy: it is of strategies',
    );
  const { seed, clock, nights } = options;
  const wall = wallSettings(options);
  if (wall !== undefined) onlySimulated(options);
  const simulated = clock === 'wall' ? 'virtual' : clock;
  const settings: ExperimentSettings = { seed, clock: simulated, nights, loaded, strategies, clients, wall };
  const path = options.out ?? freeResultsPath(loaded.scenario.name);
  await (wall === undefined ? simulatedNights(settings, path, options) : wallNights(settings, path, options));
  if (options.checkDeterminism) await prove(settings, options.json);
}

async function simulatedNights(settings: ExperimentSettings, path: string, options: RunOptions): Promise<void> {
  // Before the draft is there: an interrupt finds either nothing or something that it can keep.
  const stopping = new Stopping(settings.nights > 1);
  const folder = new ResultFolder(path);
  const ran = await runNights(settings, folder, stopping, options);
  concludeNights(settings, ran, folder, options.json);
}

/** Tells what nights have come to, and ends the command by it. */
export function concludeNights(
  settings: ExperimentSettings,
  ran: Experiment,
  folder: ResultFolder,
  json: boolean,
): void {
  const { results, partial } = ran;
  if (json) process.stdout.write(summaryJson(settings, results, partial));
  else print(settings, results, folder.shown);
  for (const { strategy, error } of results) if (error !== undefined) note(`${strategy}: its task ended with ${error}`);
  const wrong = results.reduce((sum, each) => sum + each.discrepancies, 0);
  if (wrong > 0)
    throw new ExitError('booksDiffer', `the books differ in ${wrong} places: see the ledger files in ${folder.path}`);
  if (settings.wall === undefined) concludePartial(ran, folder.shown);
  else concludeWall(results, partial, folder.shown);
}

async function wallNights(settings: ExperimentSettings, path: string, options: RunOptions): Promise<void> {
  const folder = new ResultFolder(path);
  try {
    const pool = new NightPool(options.workers);
    const bands = await wallBands(settings, pool).finally(() => pool.close());
    const ran = await runWallExperiment(settings, bands, folder.draft, watchRun(options));
    sealExperiment(settings, folder.draft, commandOf(settings), ran.partial);
    folder.commit();
    concludeNights(settings, ran, folder, options.json);
  } finally {
    folder.discard();
  }
}

/** What makes no sense on real time, which never repeats a night. */
function onlySimulated({ nights, client = [], checkDeterminism }: RunOptions): void {
  const only = 'virtual or lockstep for this';
  if (nights > 1) throw inputMistake('command line', '--nights', nights, 'one night with --clock wall');
  if (client.length > 0) throw inputMistake('command line', '--client', client, `--clock ${only}`);
  if (checkDeterminism) throw inputMistake('command line', '--check-determinism', true, `--clock ${only}`);
}

/** Without clients of the user's, for whom another option is a mistake that can be named. */
function clientsOf(
  { client = [], method, concurrency, maxCalls }: RunOptions,
  { strategies }: Scenario,
): readonly ClientSettings[] {
  const files = client.map(clientFile);
  files.forEach((file, index) => {
    const taken = Object.hasOwn(strategies, file.name) || files.findIndex(({ name }) => name === file.name) < index;
    if (taken) throw inputMistake('command line', '--client', file.path, `a file with another name than ${file.name}`);
  });
  return files.map((file) => ({ file, method, concurrency, maxCalls }));
}

function chosen({ name, strategies }: Scenario, asked: readonly string[] | undefined): string[] {
  const known = Object.keys(strategies);
  for (const strategy of asked ?? []) {
    if (!known.includes(strategy))
      throw inputMistake('command line', '--strategy', strategy, `one of ${known.join(', ')} (scenario ${name})`);
  }
  return [...new Set(asked ?? known)];
}

async function prove({ loaded, strategies, seed }: ExperimentSettings, silent: boolean): Promise<void> {
  for (const strategy of strategies) {
    const { files, differences } = await checkDeterminism(loaded.scenario, strategy, seed);
    if (differences.length > 0)
      throw new ExitError('checkFailed', `not repeatable: ${strategy}: ${differences.join('; ')}`);
    if (!silent)
      line(
        `${mark.good('repeatable')}: ${strategy}: ${files} files equal on both clocks, 20 nights equal on 1, 2 and 4 workers`,
      );
  }
}

function print(
  { loaded, seed, clock, nights, wall }: ExperimentSettings,
  results: readonly StrategyResult[],
  path: string,
): void {
  const { name, hash } = loaded.scenario;
  const on = wall === undefined ? `${clock} clock` : `wall clock at speed ${wall.speed}`;
  line(`${mark.strong(name)}  seed ${seed}, ${on}, scenario ${hash.slice(0, 12)}`);
  for (const { strategy, night, summary } of results) {
    line();
    line(`${mark.strong(strategy)}: billing by minute`);
    line(billingTable(night));
    line(balanceLine(summary.books.balance));
  }
  line();
  line(comparisonTable(results.map(({ summary }) => summary)));
  if (nights > 1) {
    line();
    const fewest = Math.min(...results.map(({ nights: ended = nights }) => ended));
    line(
      `over ${fewest < nights ? `the ${fewest} or more of ${nights}` : nights} nights a strategy: 0.5 % / median / 99.5 %`,
    );
    line(spreads(results));
  }
  line();
  for (const { strategy, foreign } of results) if (foreign !== undefined) line(`${strategy}: ${endingsLine(foreign)}`);
  printWall(results);
  line(`results: ${path}`);
}

const SPREAD_FIGURES = ['calls', 'billed', 'items_done', 'duration_s', 'quota_gone_s'] as const;

function spreads(results: readonly StrategyResult[]): string {
  const rows = results.flatMap(({ strategy, spreads: all }) =>
    SPREAD_FIGURES.flatMap((name) => {
      const each = all[name];
      return each === undefined ? [] : [[strategy, name, each.low, each.median, each.high]];
    }),
  );
  return table(['strategy', 'figure', '0.5 %', 'median', '99.5 %'], rows);
}
