// The arena's table of the README and results/reference/arena.csv, from which a test holds the README: all contestants and both
// strategies through four presets of the arena, three seeds each.
//   npm run arena

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'csv-parse/sync';
import { installedContestants, runArena } from '../bench/arena/arena.ts';
import { type ARENA_FIGURES, arenaCsv, arenaRows } from '../bench/arena/arena-table.ts';
import { loadScenario } from '../bench/scenario/load.ts';

const SEEDS = 3;
const PRESETS = ['storm-night', 'tiny-quota', 'liar', 'slow'];

export const ARENA_CSV = fileURLToPath(new URL('../../results/reference/arena.csv', import.meta.url));

/** Everything but the scenarios and the contestants. */
export const ARENA_SETTINGS = {
  strategies: ['naive', 'guarded'],
  firstSeed: 1,
  seeds: SEEDS,
  method: 'GET',
  concurrency: 8,
  maxCalls: 50_000,
} as const;

async function main(): Promise<void> {
  const scenarios = PRESETS.map((name) => loadScenario(name).scenario);
  const settings = { ...ARENA_SETTINGS, scenarios, contestants: installedContestants() };
  const bouts = await runArena(settings, ({ scenario, client, seed }) =>
    process.stderr.write(`${scenario} ${client} ${seed}\n`),
  );
  mkdirSync(dirname(ARENA_CSV), { recursive: true });
  writeFileSync(ARENA_CSV, arenaCsv(arenaRows(bouts)));
  process.stdout.write(`${readmeRows(readFileSync(ARENA_CSV, 'utf8'))}\n`);
}

/** Columns of the README's table besides name and version. */
const SHOWN: readonly (typeof ARENA_FIGURES)[number][] = [
  'calls',
  'billed',
  'done',
  'seconds',
  'early_retries',
  'item_p99_ms',
];

/** The README's rows of the storm night, from the text of arena.csv. */
export function readmeRows(csv: string): string {
  const rows = parse(csv, { columns: true }) as Readonly<Record<string, string>>[];
  return rows
    .filter(({ scenario }) => scenario === 'storm-night')
    .map((row) => {
      const at = (name: string) => row[name] ?? '';
      const figures = SHOWN.map((name) => range(at(name), at(`${name}_low`), at(`${name}_high`)));
      return `| ${[at('client'), at('versions').split(',')[0], ...figures].join(' | ')} |`;
    })
    .join('\n');
}

function range(...[median, low, high]: [string, string, string]): string {
  const text = (value: string) => Number(value).toLocaleString('en-US', { maximumFractionDigits: 0 });
  if (median === '') return '–';
  return text(low) === text(high) ? text(median) : `${text(median)} (${text(low)}–${text(high)})`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
