// `storm tune budget`: the smallest call budget with which a task finishes in a share of nights, with its interval, and what
// becomes of it on other nights.

import { join } from 'node:path';
import type { Argv } from 'yargs';
import { CsvFile } from '../../books/csv.ts';
import { budgetOf } from '../../choose/budget/budgeted.ts';
import { type BudgetSettings, type BudgetTuning, tuneBudget } from '../../choose/budget/tune-budget.ts';
import { NEED_COLUMNS, needRow, tuneCommand, tuningFiles, tuningJson } from '../../choose/budget/tuning-files.ts';
import { strategyOf } from '../../choose/derive.ts';
import { writeManifest } from '../../results-folder/manifest.ts';
import { freeResultsPath, ResultFolder, writeFiles } from '../../results-folder/result-folder.ts';
import { NightPool } from '../../run/night-pool.ts';
import type { TrialSource } from '../../run/trial-source.ts';
import { type LoadedScenario, loadScenario } from '../../scenario/load.ts';
import { ExitError } from '../exit-codes.ts';
import { intOption, numberOption } from '../options.ts';
import { line, progress } from '../screen.ts';
import { printTuning } from '../tuning-screen.ts';

export const command = 'budget <scenario>';
export const describe = 'The smallest call budget with which a task finishes in a share of nights';

const calls = intOption('--line', 1, 1_000_000_000);

export const builder = (yargs: Argv) =>
  yargs
    .positional('scenario', { type: 'string', demandOption: true, describe: 'a YAML file, or the name of a preset' })
    .option('strategy', {
      type: 'string',
      default: 'guarded',
      requiresArg: true,
      describe: 'a strategy of the scenario or the catalogue',
    })
    .option('target', {
      default: 0.99,
      coerce: numberOption('--target', 0.01, 0.9999),
      describe: 'share of nights that are to finish',
    })
    .option('line', {
      array: true,
      requiresArg: true,
      coerce: (given: readonly unknown[] | undefined) => given?.map(calls),
      describe: 'budgets of your own to measure; the one that the strategy has when left out',
    })
    .option('nights', {
      default: 2000,
      coerce: intOption('--nights', 1, 1_000_000),
      describe: 'nights of the search',
    })
    .option('fresh', {
      default: 5000,
      coerce: intOption('--fresh', 1, 1_000_000),
      describe: 'other nights, on which what was found is measured',
    })
    .option('sensitivity-nights', {
      default: 400,
      coerce: intOption('--sensitivity-nights', 0, 1_000_000),
      describe: 'nights of each worse or better platform; 0 for none',
    })
    .option('seed', {
      default: 1,
      coerce: intOption('--seed', 0, Number.MAX_SAFE_INTEGER - 10_000_000),
      describe: 'seed of the first night',
    })
    .option('workers', { coerce: intOption('--workers', 1, 256), describe: 'worker threads; all cores when left out' })
    .option('out', { type: 'string', describe: 'results folder, which must not exist' })
    .option('json', { type: 'boolean', default: false, describe: 'print the result as JSON and nothing else' })
    .example('$0 tune budget storm-night', 'the line of the guarded client, and what its own budget leaves')
    .example('$0 tune budget storm-night --line 9000 --line 15000', 'two lines of your own')
    .example('$0 tune budget my.yaml --strategy mine --target 0.9 --nights 200 --fresh 200', 'a quick look');

export interface TuneBudgetOptions {
  readonly scenario: string;
  readonly strategy: string;
  readonly target: number;
  readonly line?: readonly number[] | undefined;
  readonly nights: number;
  readonly fresh: number;
  readonly sensitivityNights: number;
  readonly seed: number;
  readonly workers?: number | undefined;
  readonly out?: string | undefined;
  readonly json: boolean;
}

export async function handler(options: TuneBudgetOptions): Promise<void> {
  const loaded = loadScenario(options.scenario);
  const { scenario } = loaded;
  const { strategy, target, seed, nights, fresh, sensitivityNights } = options;
  const own = strategyOf(scenario, strategy);
  const lines = [...new Set(options.line ?? [budgetOf(own) ?? []].flat())];
  const settings = { scenario, strategy, settings: own, target, seed, nights, fresh, sensitivityNights, lines };
  const folder = new ResultFolder(options.out ?? freeResultsPath(`${scenario.name}-budget`));
  const pool = new NightPool(options.workers);
  // Those of the sensitivity are not known before: how many there are depends on what is found.
  const bar = progress('nights', nights + fresh);
  try {
    const tuning = await tuneInto(folder.draft, settings, pool, bar.step);
    bar.stop();
    seal(settings, tuning, loaded, folder.draft);
    folder.commit();
    if (options.json) process.stdout.write(tuningJson(settings, tuning));
    else {
      printTuning(settings, tuning);
      line();
      line(`results: ${folder.shown}`);
    }
    if (tuning.discrepancies > 0)
      throw new ExitError('booksDiffer', `the books differ in ${tuning.discrepancies} places`);
  } finally {
    bar.stop();
    await pool.close();
    folder.discard();
  }
}

function tuneInto(
  draft: string,
  settings: BudgetSettings,
  pool: TrialSource,
  onNight: (nights: number) => void,
): Promise<BudgetTuning> {
  const file = new CsvFile(join(draft, 'nights.csv'), NEED_COLUMNS);
  return tuneBudget(settings, pool, (part, trial) => file.add(needRow(part, trial)), onNight).finally(() =>
    file.close(),
  );
}

function seal(settings: BudgetSettings, tuning: BudgetTuning, { text, scenario }: LoadedScenario, draft: string): void {
  writeFiles(draft, { 'scenario.yaml': text, ...tuningFiles(settings, tuning) });
  const { strategy, nights, fresh, seed } = settings;
  writeManifest(draft, {
    command: tuneCommand(settings),
    scenario: scenario.name,
    scenario_hash: scenario.hash,
    seed,
    nights: nights + fresh,
    clock: 'virtual',
    strategies: [strategy],
  });
}
