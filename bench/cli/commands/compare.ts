// `storm compare`: strategies over common nights, with paired differences, ranks, and a winner where the nights show one.

import { join } from 'node:path';
import type { Argv } from 'yargs';
import { CsvFile } from '../../books/csv.ts';
import { ablation, combinationName, combinations } from '../../choose/compare/ablation.ts';
import { compare } from '../../choose/compare/compare.ts';
import {
  type ComparisonRun,
  compareCommand,
  comparisonFiles,
  comparisonJson,
} from '../../choose/compare/comparison-files.ts';
import { NIGHT_COLUMNS, nightRow, nightTable } from '../../choose/compare/night-table.ts';
import { strategyOf, withStrategies } from '../../choose/derive.ts';
import { MEASURES, type Measure, measuresOf } from '../../choose/measures.ts';
import { inputMistake } from '../../input-error.ts';
import { writeManifest } from '../../results-folder/manifest.ts';
import { freeResultsPath, ResultFolder, writeFiles } from '../../results-folder/result-folder.ts';
import { NightPool } from '../../run/night-pool.ts';
import type { TrialSource } from '../../run/trial-source.ts';
import { type LoadedScenario, loadScenario } from '../../scenario/load.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { printComparison } from '../comparison-screen.ts';
import { ExitError } from '../exit-codes.ts';
import { intOption, numberOption } from '../options.ts';
import { line, progress } from '../screen.ts';

export const command = 'compare <scenario>';
export const describe =
  'Compare strategies over common nights: paired differences, ranks, and a winner if there is one';

export const builder = (yargs: Argv) =>
  yargs
    .positional('scenario', { type: 'string', demandOption: true, describe: 'a YAML file, or the name of a preset' })
    .option('strategy', {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'strategies of the scenario or the catalogue, two or more; all of the scenario when left out',
    })
    .option('ablation', {
      type: 'boolean',
      default: false,
      describe: 'compare the naive client with all 16 combinations of the four patches instead',
    })
    .option('baseline', {
      type: 'string',
      requiresArg: true,
      describe: 'whom to compare with; the first when left out',
    })
    .option('figure', {
      choices: MEASURES,
      default: 'billed_per_done' as Measure,
      describe: 'what decides between strategies that do as many items',
    })
    .option('margin', {
      default: 0.01,
      coerce: numberOption('--margin', 0, 1),
      describe: 'share of the items by which a strategy may do less than the best and still be compared by the figure',
    })
    .option('price-per-call', {
      coerce: numberOption('--price-per-call', 0, 1_000_000),
      describe: 'what a billed call costs; the price of the scenario when left out',
    })
    .option('nights', {
      default: 200,
      coerce: intOption('--nights', 2, 1_000_000),
      describe: 'common nights, with seeds that count up; a winner needs six',
    })
    .option('seed', {
      default: 1,
      coerce: intOption('--seed', 0, Number.MAX_SAFE_INTEGER - 10_000_000),
      describe: 'seed of the first night',
    })
    .option('workers', { coerce: intOption('--workers', 1, 256), describe: 'worker threads; all cores when left out' })
    .option('out', { type: 'string', describe: 'results folder, which must not exist' })
    .option('json', { type: 'boolean', default: false, describe: 'print the comparison as JSON and nothing else' })
    .example('$0 compare storm-night', 'the two clients of the storm night')
    .example('$0 compare storm-night --strategy guarded --strategy envoy --nights 1000', 'two of the catalogue')
    .example('$0 compare storm-night --ablation', 'what each of the four patches is worth');

export interface CompareOptions {
  readonly scenario: string;
  readonly strategy?: readonly string[] | undefined;
  readonly ablation: boolean;
  readonly baseline?: string | undefined;
  readonly figure: Measure;
  readonly margin: number;
  readonly pricePerCall?: number | undefined;
  readonly nights: number;
  readonly seed: number;
  readonly workers?: number | undefined;
  readonly out?: string | undefined;
  readonly json: boolean;
}

export async function handler(options: CompareOptions): Promise<void> {
  const loaded = loadScenario(options.scenario);
  const scenario = compared(loaded.scenario, options);
  const strategies = Object.keys(scenario.strategies);
  const baseline = baselineOf(options, strategies);
  const folder = new ResultFolder(options.out ?? freeResultsPath(`${scenario.name}-comparison`));
  const pool = new NightPool(options.workers);
  const bar = progress('nights', strategies.length * options.nights);
  try {
    const { run, discrepancies } = await compareInto(
      folder.draft,
      { options, scenario, baseline, sourceHash: loaded.scenario.hash },
      pool,
      bar.step,
    );
    bar.stop();
    seal(run, loaded, folder.draft);
    folder.commit();
    if (options.json) process.stdout.write(comparisonJson(run));
    else {
      printComparison(run);
      line(`results: ${folder.shown}`);
    }
    if (discrepancies > 0) throw new ExitError('booksDiffer', `the books differ in ${discrepancies} places`);
  } finally {
    bar.stop();
    await pool.close();
    folder.discard();
  }
}

/** The scenario with exactly the strategies that are compared, and the price that holds. */
function compared(scenario: Scenario, { strategy, ablation: all, pricePerCall, figure }: CompareOptions): Scenario {
  if (all && strategy !== undefined)
    throw inputMistake('command line', '--strategy', strategy.join(', '), 'either --strategy or --ablation');
  const price =
    pricePerCall === undefined
      ? scenario.price
      : { perCall: pricePerCall, currency: scenario.price?.currency ?? 'the unit of the price' };
  const names = [...new Set(strategy ?? Object.keys(scenario.strategies))];
  if (!all && names.length < 2)
    throw inputMistake('command line', '--strategy', names.join(', '), 'two strategies or more');
  if (!measuresOf(price).includes(figure))
    throw inputMistake('command line', '--figure', figure, 'a price in the scenario, or --price-per-call');
  const strategies = all
    ? combinations(scenario)
    : Object.fromEntries(names.map((name) => [name, strategyOf(scenario, name)]));
  return withStrategies({ ...scenario, price }, strategies);
}

function baselineOf({ baseline }: CompareOptions, strategies: readonly string[]): string {
  const named = baseline ?? strategies[0] ?? combinationName([]);
  if (!strategies.includes(named))
    throw inputMistake('command line', '--baseline', named, `one of ${strategies.join(', ')}`);
  return named;
}

interface Asked {
  readonly options: CompareOptions;
  readonly scenario: Scenario;
  readonly baseline: string;
  readonly sourceHash: string;
}

async function compareInto(
  draft: string,
  { options, scenario, baseline, sourceHash }: Asked,
  pool: TrialSource,
  onNight: (nights: number) => void,
): Promise<{ run: ComparisonRun; discrepancies: number }> {
  const { figure, margin, seed, nights } = options;
  const strategies = Object.keys(scenario.strategies);
  const settings = { scenario, strategies, seed, nights };
  const file = new CsvFile(join(draft, 'nights.csv'), NIGHT_COLUMNS);
  const { table, discrepancies } = await nightTable(settings, pool, (strategy, trial) => {
    file.add(nightRow(strategy, trial));
    onNight(1);
  }).finally(() => file.close());
  const rules = { figure, margin, seed };
  const run = {
    ...settings,
    rules,
    sourceHash,
    baseline,
    comparison: compare(table, rules),
    ablation: options.ablation ? ablation(table, seed) : undefined,
  };
  return { run, discrepancies };
}

function seal(run: ComparisonRun, { text, scenario }: LoadedScenario, draft: string): void {
  writeFiles(draft, { 'scenario.yaml': text, ...comparisonFiles(run) });
  writeManifest(draft, {
    command: compareCommand(run, scenario.price),
    scenario: scenario.name,
    scenario_hash: scenario.hash,
    seed: run.seed,
    nights: run.nights,
    clock: 'virtual',
    strategies: [...run.strategies],
  });
}
