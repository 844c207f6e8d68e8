// A comparison on file: differences, intervals, ranks, winner and command, all made again from the nights beside it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { FIGURE_NAMES, type Figures } from '../books/figures.ts';
import { ablation } from '../choose/compare/ablation.ts';
import { compare } from '../choose/compare/compare.ts';
import { type ComparisonRun, compareCommand, comparisonFiles } from '../choose/compare/comparison-files.ts';
import { NightTable } from '../choose/compare/night-table.ts';
import { MEASURES } from '../choose/measures.ts';
import { MANIFEST, type Manifest } from '../results-folder/manifest.ts';
import { csvRows, numberIn, type TextRow } from '../results-folder/open.ts';
import { camel } from '../scenario/fields.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { compareText, type Problem } from './compare-text.ts';

/** What was asked; the rest of the file is an answer. */
const asked = z.object({
  seed: z.int(),
  nights: z.int().min(2),
  strategies: z.array(z.string()).min(2),
  baseline: z.string(),
  figure: z.enum(MEASURES),
  margin: z.number(),
  price: z.object({ per_call: z.number(), currency: z.string() }).nullable(),
  ablation: z.unknown(),
});

/** Returns how many nights were read. */
export async function verifyComparison(
  folder: string,
  manifest: Manifest,
  source: Scenario,
  problem: Problem,
): Promise<number> {
  const text = (file: string) => readFileSync(join(folder, file), 'utf8');
  const { seed, nights, strategies, baseline, figure, margin, price, ...rest } = asked.parse(
    JSON.parse(text('comparison.json')),
  );
  const scenario = { ...source, price: price === null ? undefined : camel(price) };
  const table = new NightTable(scenario, strategies, nights);
  let index = 0;
  for await (const row of csvRows(join(folder, 'nights.csv'))) {
    const strategy = strategies[Math.floor(index / nights)];
    const expected = seed + (index++ % nights);
    if (strategy === undefined || row.strategy !== strategy || numberIn(row, 'seed') !== expected)
      problem('nights.csv', `line ${index + 1}: is not seed ${expected} of ${strategy ?? 'any strategy'}`);
    else table.add(strategy, figuresIn(row));
  }
  if (index !== nights * strategies.length)
    problem('nights.csv', `has ${index} nights instead of ${nights * strategies.length}`);
  const rules = { figure, margin, seed };
  const run: ComparisonRun = {
    scenario,
    strategies,
    seed,
    nights,
    rules,
    baseline,
    sourceHash: source.hash,
    comparison: compare(table, rules),
    ablation: rest.ablation === null ? undefined : ablation(table, seed),
  };
  for (const [file, expected] of Object.entries(comparisonFiles(run)))
    compareText(file, text(file), expected, 'nights', problem);
  const command = compareCommand(run, source.price);
  if (manifest.command !== command) problem(MANIFEST, `its command is not the one of the comparison: ${command}`);
  return index;
}

/** A figure that a night has not got is an empty cell. */
function figuresIn(row: TextRow): Figures {
  const entries = FIGURE_NAMES.map((name) => [name, row[name] === '' ? undefined : numberIn(row, name)]);
  return Object.fromEntries(entries) as unknown as Figures;
}
