// `storm arena`: installed contestants and chosen strategies through scenarios, with several seeds; one table a scenario.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Argv } from 'yargs';
import { CONTESTANTS } from '../../../clients/contestants/catalogue.ts';
import { installedContestants, runArena } from '../../arena/arena.ts';
import { type ArenaRow, arenaCsv, arenaRows } from '../../arena/arena-table.ts';
import { inputMistake } from '../../input-error.ts';
import { ResultFolder } from '../../results-folder/result-folder.ts';
import { loadScenario } from '../../scenario/load.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { ExitError } from '../exit-codes.ts';
import { intOption } from '../options.ts';
import { type Cell, line, mark, progress, shown, table } from '../screen.ts';

export const command = 'arena [scenarios..]';
export const describe = 'Put installed npm clients and strategies through scenarios and compare them';

/** What the arena is about; any other scenario can be named. */
export const ARENA_PRESETS = [
  'storm-night',
  'calm',
  'outage',
  'tight-edge',
  'tiny-quota',
  'liar',
  'slow',
  'bursty',
] as const;

export const builder = (yargs: Argv) =>
  yargs
    .positional('scenarios', { type: 'string', array: true, describe: `files or presets; ${ARENA_PRESETS.join(', ')}` })
    .option('contestant', {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'contestants to run (storm contestants); all that are installed when left out',
    })
    .option('strategy', {
      type: 'string',
      array: true,
      requiresArg: true,
      describe: 'strategies of the scenario to put beside them; all of them when left out',
    })
    .option('seed', {
      default: 1,
      coerce: intOption('--seed', 0, Number.MAX_SAFE_INTEGER - 1000),
      describe: 'first seed',
    })
    .option('seeds', { default: 3, coerce: intOption('--seeds', 1, 1000), describe: 'nights a client and scenario' })
    .option('workers', { coerce: intOption('--workers', 1, 256), describe: 'nights at once; all cores when left out' })
    .option('method', { choices: ['GET', 'POST'] as const, default: 'GET' as const, describe: 'method of contestants' })
    .option('concurrency', {
      default: 8,
      coerce: intOption('--concurrency', 1, 1000),
      describe: 'items that a contestant asks for at once',
    })
    .option('max-calls', {
      default: 50_000,
      coerce: intOption('--max-calls', 1, 10_000_000),
      describe: "calls after which a contestant's night is cut",
    })
    .option('out', { type: 'string', describe: 'folder for arena.csv, which must not exist' })
    .example('$0 arena storm-night', 'all installed contestants on the storm night')
    .example('$0 arena calm liar --contestant got --contestant ky --seeds 5', 'two of them on two scenarios');

export interface ArenaOptions {
  readonly scenarios?: readonly string[] | undefined;
  readonly contestant?: readonly string[] | undefined;
  readonly strategy?: readonly string[] | undefined;
  readonly seed: number;
  readonly seeds: number;
  readonly workers?: number | undefined;
  readonly method: 'GET' | 'POST';
  readonly concurrency: number;
  readonly maxCalls: number;
  readonly out?: string | undefined;
}

export async function handler(options: ArenaOptions): Promise<void> {
  const named = options.scenarios ?? [];
  const scenarios = (named.length === 0 ? ARENA_PRESETS : named).map((name) => loadScenario(name).scenario);
  const contestants = chosenContestants(options.contestant);
  const strategies = chosenStrategies(scenarios, options.strategy);
  const folder = options.out === undefined ? undefined : new ResultFolder(options.out);
  const { seeds, seed: firstSeed, workers, method, concurrency, maxCalls } = options;
  const settings = { scenarios, contestants, strategies, firstSeed, seeds, workers, method, concurrency, maxCalls };
  const bar = progress('nights', scenarios.length * (contestants.length + strategies.length) * seeds);
  try {
    const bouts = await runArena(settings, () => bar.step(1)).finally(() => bar.stop());
    const rows = arenaRows(bouts);
    for (const { name } of scenarios)
      print(
        name,
        rows.filter(({ scenario }) => scenario === name),
        options,
      );
    if (folder !== undefined) {
      writeFileSync(join(folder.draft, 'arena.csv'), arenaCsv(rows), { flag: 'wx' });
      folder.commit();
    }
    const wrong = rows.reduce((sum, { discrepancies }) => sum + discrepancies, 0);
    if (wrong > 0) throw new ExitError('booksDiffer', `the books differ in ${wrong} places`);
  } finally {
    folder?.discard();
  }
}

function chosenContestants(asked: readonly string[] | undefined): readonly string[] {
  const installed = installedContestants();
  for (const name of asked ?? []) {
    if (!Object.hasOwn(CONTESTANTS, name))
      throw inputMistake('command line', '--contestant', name, `one of ${Object.keys(CONTESTANTS).join(', ')}`);
    if (!installed.includes(name))
      throw inputMistake('command line', '--contestant', name, 'one that is installed (storm contestants says how)');
  }
  return [...new Set(asked ?? installed)];
}

/** Strategies that every scenario has. */
function chosenStrategies(scenarios: readonly Scenario[], asked: readonly string[] | undefined): readonly string[] {
  const common = Object.keys(scenarios[0]?.strategies ?? {}).filter((name) =>
    scenarios.every(({ strategies }) => Object.hasOwn(strategies, name)),
  );
  for (const name of asked ?? [])
    if (!common.includes(name))
      throw inputMistake('command line', '--strategy', name, `one that every scenario has: ${common.join(', ')}`);
  return [...new Set(asked ?? common)];
}

const HEAD = ['client', 'calls', 'billed', 'done', 'seconds', 'early', 'after quota', 'calls/done'];
const TIMES = ['item p50 ms', 'item p99 ms', 'ended'];

function print(scenario: string, rows: readonly ArenaRow[], { seed, seeds, method }: ArenaOptions): void {
  const last = seed + seeds - 1;
  line(`${mark.strong(scenario)}: ${method}, seeds ${seed} to ${last}; median, and the range where it is one`);
  line(table([...HEAD, ...TIMES], rows.map(cells)));
  line();
}

function cells({ client, versions, figures, ended }: ArenaRow): Cell[] {
  const name = versions === 'strategy' ? `${client} (strategy)` : client;
  if (figures === undefined) return [name, '', '', '', '', '', '', '', '', '', ended];
  const cell = (each: { low: number; median: number; high: number } | undefined) => {
    if (each === undefined) return '';
    const [median, low, high] = [each.median, each.low, each.high].map(shown);
    return low === high ? median : `${median} (${low}–${high})`;
  };
  const { calls, billed, done, seconds, early_retries, calls_after_quota, calls_per_done, item_p50_ms, item_p99_ms } =
    figures;
  return [
    name,
    ...[calls, billed, done, seconds, early_retries, calls_after_quota, calls_per_done].map(cell),
    ...[item_p50_ms, item_p99_ms].map(cell),
    ended,
  ];
}
