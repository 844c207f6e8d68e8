// A tuned budget on file: lines, intervals, shares of nights and the closed form made again from the nights beside it. What
// needs other nights, or the inside of a night, is believed: items done at a budget, and other platforms.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { finishing, NeedsFold, type NightNeeds } from '../choose/budget/needs.ts';
import { type BudgetSettings, tunedLine } from '../choose/budget/tune-budget.ts';
import { curveCsv, tuneCommand } from '../choose/budget/tuning-files.ts';
import { strategyOf } from '../choose/derive.ts';
import { MANIFEST, type Manifest } from '../results-folder/manifest.ts';
import { csvRows, numberIn } from '../results-folder/open.ts';
import { snake } from '../scenario/fields.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { shareEstimate } from '../statistics/share-interval.ts';
import { compareText, type Problem } from './compare-text.ts';

const share = z.object({ count: z.int(), of: z.int(), share: z.number(), low: z.number(), high: z.number() });

/** What was asked, and what can be made again in part. */
const tuningSchema = z.looseObject({
  strategy: z.string(),
  target: z.number(),
  seed: z.int(),
  nights: z.int().min(1),
  fresh_nights: z.int().min(1),
  sensitivity_nights: z.int(),
  lines: z.array(z.looseObject({ calls: z.int() })),
  curve: z.array(z.object({ budget: z.int(), finishes: share, done: z.number() })),
});

/** Returns how many nights were read. */
export async function verifyTuning(
  folder: string,
  manifest: Manifest,
  scenario: Scenario,
  problem: Problem,
): Promise<number> {
  const text = (file: string) => readFileSync(join(folder, file), 'utf8');
  const raw = JSON.parse(text('tuning.json')) as Readonly<Record<string, unknown>>;
  const found = tuningSchema.parse(raw);
  const { strategy, target, seed, nights, fresh_nights: fresh, sensitivity_nights: sensitivityNights } = found;
  const lines = found.lines.map(({ calls }) => calls);
  const own = strategyOf(scenario, strategy);
  const settings = { scenario, strategy, settings: own, target, seed, nights, fresh, sensitivityNights, lines };
  const { search, measured, rows } = await readNights(folder, settings, problem);
  const tuned = tunedLine(settings, search, measured);
  const finishes = (calls: number) => shareEstimate(finishing(measured, calls), measured.nights);
  const curve = found.curve.map(({ budget, done }) => ({ budget, finishes: finishes(budget), done }));
  const expected = {
    // As written: the schema would bring what it names to the front.
    ...raw,
    ...snake(tuned),
    lines: found.lines.map((line) => ({
      ...line,
      over: line.calls / tuned.search.line.value - 1,
      finishes: finishes(line.calls),
    })),
    curve,
  };
  compareText('tuning.json', text('tuning.json'), `${JSON.stringify(expected, undefined, 2)}\n`, 'nights', problem);
  compareText('curve.csv', text('curve.csv'), curveCsv({ curve }), 'nights', problem);
  const command = tuneCommand(settings);
  if (manifest.command !== command) problem(MANIFEST, `its command is not the one of the tuning: ${command}`);
  return rows;
}

async function readNights(
  folder: string,
  { scenario, seed, nights, fresh }: BudgetSettings,
  problem: Problem,
): Promise<{ search: NightNeeds; measured: NightNeeds; rows: number }> {
  const { items } = scenario.task;
  const folds = { search: new NeedsFold(items), fresh: new NeedsFold(items) };
  let index = 0;
  for await (const row of csvRows(join(folder, 'nights.csv'))) {
    const part = index < nights ? 'search' : 'fresh';
    const expected = seed + index++;
    if (row.part !== part || numberIn(row, 'seed') !== expected)
      problem('nights.csv', `line ${index + 1}: is not seed ${expected} of the part ${part}`);
    folds[part].add({
      seed: expected,
      needed_calls: row.stop_reason === 'done' ? numberIn(row, 'needed_calls') : undefined,
      calls: numberIn(row, 'calls'),
      ok: numberIn(row, 'ok'),
      items_done: numberIn(row, 'items_done'),
      not_by_chance: numberIn(row, 'not_by_chance'),
    });
    if (row.stop_reason === 'done' && row.needed_calls !== row.calls)
      problem('nights.csv', `line ${index + 1}: needs other calls than it took`);
  }
  if (index !== nights + fresh) problem('nights.csv', `has ${index} nights instead of ${nights + fresh}`);
  return { search: folds.search.needs(), measured: folds.fresh.needs(), rows: index };
}
