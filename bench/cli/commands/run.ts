// `storm run`: a scenario's nights, their books into a results folder, and a summary on the screen.

import type { Argv } from 'yargs';
import { BILLING_COLUMNS, billingRow } from '../../books/night-files.ts';
import { inputMistake } from '../../input-error.ts';
import { CLOCKS, type ClockName } from '../../night.ts';
import { freeResultsPath, ResultFolder } from '../../results-folder/result-folder.ts';
import { checkDeterminism } from '../../run/determinism.ts';
import {
  type ExperimentSettings,
  runCommand,
  runExperiment,
  type StrategyResult,
  sealExperiment,
  summaryJson,
} from '../../run/experiment.ts';
import { NightPool } from '../../run/night-pool.ts';
import { loadScenario } from '../../scenario/load.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { ExitError } from '../exit-codes.ts';
import { intOption } from '../options.ts';
import { line, mark, progress, table } from '../screen.ts';

export const command = 'run <scenario>';
export const describe = 'Run the nights of a scenario file or preset and write their books';

export const builder = (yargs: Argv) =>
  yargs
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
      choices: CLOCKS,
      default: 'virtual' as ClockName,
      describe: 'virtual: in process; lockstep: over real HTTP',
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
    .option('json', { type: 'boolean', default: false, describe: 'print the summary as JSON and nothing else' })
    .option('check-determinism', {
      type: 'boolean',
      default: false,
      describe: 'run again on both clocks and 1, 2 and 4 workers and compare bytes',
    })
    .example('$0 run storm-night', 'one night of each strategy, on simulated time')
    .example('$0 run storm-night --clock lockstep', 'the same nights through real HTTP')
    .example('$0 run my.yaml --strategy guarded --nights 1000', 'a thousand what-ifs')
    .example('$0 run calm --json --out results/baseline', 'for a script');

export interface RunOptions {
  readonly scenario: string;
  readonly strategy?: readonly string[] | undefined;
  readonly seed: number;
  readonly clock: ClockName;
  readonly nights: number;
  readonly workers?: number | undefined;
  readonly out?: string | undefined;
  readonly json: boolean;
  readonly checkDeterminism: boolean;
}

export async function handler(options: RunOptions): Promise<void> {
  const loaded = loadScenario(options.scenario);
  const settings: ExperimentSettings = { ...options, loaded, strategies: chosen(loaded.scenario, options.strategy) };
  const folder = new ResultFolder(options.out ?? freeResultsPath(loaded.scenario.name));
  const pool = new NightPool(options.workers);
  const bar = progress('nights', settings.nights * settings.strategies.length);
  let results: readonly StrategyResult[];
  try {
    results = await runExperiment(settings, pool, folder.draft, bar.step);
    sealExperiment(settings, folder.draft, runCommand(settings));
    folder.commit();
  } finally {
    bar.stop();
    await pool.close();
    folder.discard();
  }
  if (options.json) process.stdout.write(summaryJson(settings, results));
  else print(settings, results, folder.shown);
  const wrong = results.reduce((sum, each) => sum + each.discrepancies, 0);
  if (wrong > 0)
    throw new ExitError('booksDiffer', `the books differ in ${wrong} places: see the ledger files in ${folder.path}`);
  if (options.checkDeterminism) await prove(settings, options.json);
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
  { loaded, seed, clock, nights }: ExperimentSettings,
  results: readonly StrategyResult[],
  path: string,
): void {
  const { name, hash } = loaded.scenario;
  line(`${mark.strong(name)}  seed ${seed}, ${clock} clock, scenario ${hash.slice(0, 12)}`);
  for (const { strategy, night, summary } of results) {
    line();
    line(`${mark.strong(strategy)}: billing by minute`);
    line(
      table(
        [...BILLING_COLUMNS],
        night.platform.minutes.map(billingRow).map((row) => BILLING_COLUMNS.map((column) => row[column])),
      ),
    );
    line(verdict(summary.books.balance));
  }
  line();
  line(comparison(results));
  if (nights > 1) {
    line();
    line(`over ${nights} nights a strategy: 0.5 % / median / 99.5 %`);
    line(spreads(results));
  }
  line();
  line(`results: ${path}`);
}

const verdict = (balance: boolean): string => (balance ? mark.good('books balance') : mark.bad('books DIFFER'));

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

function comparison(results: readonly StrategyResult[]): string {
  const rows = results.map(({ summary: s }) => [
    s.strategy,
    s.items.total,
    s.calls.total,
    s.calls_per_item,
    s.calls.billed,
    s.items.done,
    s.items.abandoned,
    s.items.unfinished,
    s.billed_per_done_item ?? undefined,
    s.duration_s,
    s.quota_gone_s ?? 'never',
    s.stop_reason,
  ]);
  const head = [
    'strategy',
    'items',
    'calls',
    'calls/item',
    'billed',
    'done',
    'abandoned',
    'unfinished',
    'billed/done',
    'seconds',
    'quota gone at',
    'ended',
  ];
  return table(head, rows);
}
