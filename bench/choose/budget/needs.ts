// What nights need: one pass over nights without a budget gives the whole curve from budgets to the share of nights that
// finish, and from budgets to the share of items that are done.

import type { StrategySettings } from '../../../clients/strategies/settings.ts';
import type { NightPool } from '../../run/night-pool.ts';
import type { Trial } from '../../run/trial.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { withStrategies } from '../derive.ts';
import { unlimited } from './budgeted.ts';

export interface Needs {
  readonly nights: number;
  /** Calls that each night takes, ascending; Infinity for a night that no budget lets finish. */
  readonly sorted: Float64Array;
  /** Mean share of the items that are done at each mark, and at the end. */
  readonly doneAt: readonly number[];
  readonly done: number;
  /** Share of all calls that did not succeed. */
  readonly failing: number;
  /** Calls that were refused for their rate or number, or by a platform that was down: not by chance. */
  readonly notByChance: number;
  readonly discrepancies: number;
}

export interface NeedsSettings {
  readonly scenario: Scenario;
  readonly settings: StrategySettings;
  readonly firstSeed: number;
  readonly nights: number;
  readonly marks?: readonly number[];
}

/** The calls that a night needs to finish. */
export const neededCalls = ({ stopReason, figures }: Trial): number =>
  stopReason === 'done' ? figures.calls : Number.POSITIVE_INFINITY;

/** @param onTrial is told of every night, in the order of the seeds */
export async function needsOf(
  { scenario, settings, firstSeed, nights, marks = [] }: NeedsSettings,
  pool: NightPool,
  onTrial: (trial: Trial) => void,
): Promise<Needs> {
  const strategy = 'unlimited';
  const derived = withStrategies(scenario, { [strategy]: unlimited(settings) });
  const sorted = new Float64Array(nights);
  const doneAt = marks.map(() => 0);
  const sums = { done: 0, calls: 0, ok: 0, notByChance: 0, discrepancies: 0 };
  let night = 0;
  for await (const trial of pool.trials({ scenario: derived, strategy, firstSeed, nights, marks })) {
    const { figures } = trial;
    sorted[night++] = neededCalls(trial);
    trial.doneAt.forEach((done, index) => {
      doneAt[index] = (doneAt[index] ?? 0) + done;
    });
    sums.done += figures.items_done;
    sums.calls += figures.calls;
    sums.ok += figures.ok;
    sums.notByChance += figures.edge_rejected + figures.quota_rejected + figures.error503 + figures.unavailable;
    sums.discrepancies += trial.discrepancies;
    onTrial(trial);
  }
  const all = nights * scenario.task.items;
  return {
    nights,
    sorted: sorted.sort(),
    doneAt: doneAt.map((done) => done / all),
    done: sums.done / all,
    failing: 1 - sums.ok / sums.calls,
    notByChance: sums.notByChance,
    discrepancies: sums.discrepancies,
  };
}

/** How many of the nights a budget lets finish. */
export function finishing({ sorted }: Needs, calls: number): number {
  let count = 0;
  while (count < sorted.length && (sorted[count] ?? 0) <= calls) count++;
  return count;
}
