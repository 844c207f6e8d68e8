// What tuning a budget leaves: tuning.json, the curve from budgets to nights that finish and items that are done, and a row
// for each night of the search and of the measurement, from which verify makes the rest of it again.

import { toCsv } from '../../books/csv.ts';
import type { Trial } from '../../run/trial.ts';
import { snake } from '../../scenario/fields.ts';
import { CONFIDENCE } from '../../statistics/share-interval.ts';
import { needsNight } from './needs.ts';
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
    fresh_nights: settings.fresh,
    sensitivity_nights: settings.sensitivityNights,
    items: scenario.task.items,
    confidence: CONFIDENCE,
    intervals: { line: 'order statistics', share: 'Clopper-Pearson' },
    ...snake(tuning),
  };
  return `${JSON.stringify(said, (_key, value: unknown) => (value === undefined ? null : value), 2)}\n`;
}

const CURVE_COLUMNS = ['budget', 'finishes', 'finishes_low', 'finishes_high', 'items_done_share'] as const;

/** Name and text of each file but the scenario and the nights. */
export function tuningFiles(settings: BudgetSettings, tuning: BudgetTuning): Readonly<Record<string, string>> {
  return { 'tuning.json': tuningJson(settings, tuning), 'curve.csv': curveCsv(tuning) };
}

export function curveCsv({ curve }: Pick<BudgetTuning, 'curve'>): string {
  const rows = curve.map(({ budget, finishes: { share, low, high }, done }) => ({
    budget,
    finishes: share,
    finishes_low: low,
    finishes_high: high,
    items_done_share: done,
  }));
  return toCsv(CURVE_COLUMNS, rows);
}

export function tuneCommand({
  strategy,
  target,
  lines,
  nights,
  fresh,
  sensitivityNights,
  seed,
}: BudgetSettings): string {
  const asked = lines.map((each) => ` --line ${each}`).join('');
  return (
    `storm tune budget scenario.yaml --strategy ${strategy} --target ${target}${asked} ` +
    `--nights ${nights} --fresh ${fresh} --sensitivity-nights ${sensitivityNights} --seed ${seed}`
  );
}

export const NEED_COLUMNS = [
  'part',
  'seed',
  'needed_calls',
  'calls',
  'ok',
  'items_done',
  'not_by_chance',
  'stop_reason',
] as const;

export function needRow(part: string, trial: Trial) {
  return { part, ...needsNight(trial), stop_reason: trial.stopReason };
}
