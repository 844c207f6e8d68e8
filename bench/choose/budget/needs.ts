// What nights need: one pass over nights without a budget gives the whole curve from budgets to the share of nights that
// finish, and from budgets to the share of items that are done.

import type { StrategySettings } from '../../../clients/strategies/settings.ts';
import type { Trial } from '../../run/trial.ts';
import type { TrialSource } from '../../run/trial-source.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { withStrategies } from '../derive.ts';
import { unlimited } from './budgeted.ts';

export interface NightNeeds {
  readonly nights: number;
  /** Calls that each night takes, ascending; Infinity for a night that no budget lets finish. */
  readonly sorted: Float64Array;
  /** Mean share of the items that are done when nothing cuts. */
  readonly done: number;
  /** Share of all calls that did not succeed. */
  readonly failing: number;
  /** Calls that were refused for their rate or number, or by a platform that was down: not by chance. */
  readonly notByChance: number;
}

export interface Needs extends NightNeeds {
  /** Mean share of the items that are done at each mark. */
  readonly doneAt: readonly number[];
  readonly discrepancies: number;
}

export interface NeedsSettings {
  readonly scenario: Scenario;
  readonly settings: StrategySettings;
  readonly firstSeed: number;
  readonly nights: number;
  readonly marks?: readonly number[];
}

/** What a night without a budget says of budgets; also a row of nights.csv. */
export interface NeedsNight {
  readonly seed: number;
  /** Undefined for a night that no budget lets finish. */
  readonly needed_calls: number | undefined;
  readonly calls: number;
  readonly ok: number;
  readonly items_done: number;
  readonly not_by_chance: number;
}

export function needsNight({ seed, stopReason, figures }: Trial): NeedsNight {
  const { calls, ok, items_done, edge_rejected, quota_rejected, error503, unavailable } = figures;
  const not_by_chance = edge_rejected + quota_rejected + error503 + unavailable;
  return { seed, needed_calls: stopReason === 'done' ? calls : undefined, calls, ok, items_done, not_by_chance };
}

/** Sums nights up, one by one. */
export class NeedsFold {
  readonly #needed: number[] = [];
  readonly #items: number;
  readonly #sums = { done: 0, calls: 0, ok: 0, notByChance: 0 };

  /** @param items of the task */
  constructor(items: number) {
    this.#items = items;
  }

  add({ needed_calls, calls, ok, items_done, not_by_chance }: NeedsNight): void {
    this.#needed.push(needed_calls ?? Number.POSITIVE_INFINITY);
    this.#sums.done += items_done;
    this.#sums.calls += calls;
    this.#sums.ok += ok;
    this.#sums.notByChance += not_by_chance;
  }

  needs(): NightNeeds {
    const nights = this.#needed.length;
    const { done, calls, ok, notByChance } = this.#sums;
    return {
      nights,
      sorted: Float64Array.from(this.#needed).sort(),
      done: done / (nights * this.#items),
      failing: 1 - ok / calls,
      notByChance,
    };
  }
}

/** @param onTrial is told of every night, in the order of the seeds */
export async function needsOf(
  { scenario, settings, firstSeed, nights, marks = [] }: NeedsSettings,
  pool: TrialSource,
  onTrial: (trial: Trial) => void,
): Promise<Needs> {
  const strategy = 'unlimited';
  const derived = withStrategies(scenario, { [strategy]: unlimited(settings) });
  const { items } = scenario.task;
  const fold = new NeedsFold(items);
  const doneAt = marks.map(() => 0);
  let discrepancies = 0;
  for await (const trial of pool.trials({ scenario: derived, strategy, firstSeed, nights, marks })) {
    fold.add(needsNight(trial));
    trial.doneAt.forEach((done, index) => {
      doneAt[index] = (doneAt[index] ?? 0) + done;
    });
    discrepancies += trial.discrepancies;
    onTrial(trial);
  }
  return { ...fold.needs(), doneAt: doneAt.map((done) => done / (nights * items)), discrepancies };
}

/** How many of the nights a budget lets finish. */
export function finishing({ sorted }: Pick<NightNeeds, 'sorted'>, calls: number): number {
  let count = 0;
  while (count < sorted.length && (sorted[count] ?? 0) <= calls) count++;
  return count;
}
