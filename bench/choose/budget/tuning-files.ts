// What tuning a budget leaves: tuning.json, the curve from budgets to nights that finish and items that are done, and a row
// for each night of the search and of the measurement.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toCsv } from '../../books/csv.ts';
import type { Trial } from '../../run/trial.ts';
import { snake } from '../../scenario/fields.ts';
import { CONFIDENCE } from '../../statistics/share-interval.ts';
import { neededCalls } from './needs.ts';
import type { BudgetSettings, BudgetTuning } from './tune-budget.ts';

/** Also the output of --json. An end of an interval that lies beyond all nights is null. */
export function tuningJson({ scenario, strategy, target, ...settings }: BudgetSettings, tuning: BudgetTuning): string {
  const said = {
    scenario: scenario.name,
    scenario_hash: scenario.hash,
    strategy,
    target,
    seed: settings.seed,
    nights: settings.nights,
    fresh: settings.fresh,
    sensitivity_nights: settings.sensitivityNights,
    items: scenario.task.items,
    confidence: CONFIDENCE,
    intervals: { line: 'order statistics', share: 'Clopper-Pearson' },
    ...snake(tuning),
  };
  return `${JSON.stringify(said, (_key, value: unknown) => (value === undefined ? null : value), 2)}\n`;
}

const CURVE_COLUMNS = ['budget', 'finishes', 'finishes_low', 'finishes_high', 'items_done_share'] as const;

export function writeTuning(settings: BudgetSettings, tuning: BudgetTuning, text: string, draft: string): void {
  const write = (name: string, content: string) => writeFileSync(join(draft, name), content, { flag: 'wx' });
  const curve = tuning.curve.map(({ budget, finishes: { share, low, high }, done }) => ({
    budget,
    finishes: share,
    finishes_low: low,
    finishes_high: high,
    items_done_share: done,
  }));
  write('scenario.yaml', text);
  write('tuning.json', tuningJson(settings, tuning));
  write('curve.csv', toCsv(CURVE_COLUMNS, curve));
}

export const NEED_COLUMNS = ['part', 'seed', 'needed_calls', 'calls', 'items_done', 'stop_reason'] as const;

/** An empty cell for a night that no budget lets finish. */
export function needRow(part: string, trial: Trial) {
  const needed = neededCalls(trial);
  return {
    part,
    seed: trial.seed,
    needed_calls: Number.isFinite(needed) ? needed : undefined,
    calls: trial.figures.calls,
    items_done: trial.figures.items_done,
    stop_reason: trial.stopReason,
  };
}
