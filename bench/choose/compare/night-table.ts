// Strategies over common nights: night n of each has the same seed and meets the same faults, so that differences are taken
// night by night. What is kept of a night is a number for each measure.

import { FIGURE_NAMES, type Figures } from '../../books/figures.ts';
import type { Trial } from '../../run/trial.ts';
import type { TrialSource } from '../../run/trial-source.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { type Measure, measured, measuresOf } from '../measures.ts';

export interface NightColumns {
  readonly strategies: readonly string[];
  readonly measures: readonly Measure[];
  readonly items: number;
  readonly nights: number;
  /** A measure of a strategy, night by night. */
  column(strategy: string, measure: Measure): Float64Array;
}

/** The columns, filled night by night in the order of the seeds. */
export class NightTable implements NightColumns {
  readonly strategies: readonly string[];
  readonly measures: readonly Measure[];
  readonly items: number;
  readonly nights: number;
  readonly #scenario: Pick<Scenario, 'price'>;
  readonly #columns = new Map<string, Float64Array>();
  readonly #filled = new Map<string, number>();

  constructor(scenario: Pick<Scenario, 'price' | 'task'>, strategies: readonly string[], nights: number) {
    this.#scenario = scenario;
    this.strategies = strategies;
    this.measures = measuresOf(scenario.price);
    this.items = scenario.task.items;
    this.nights = nights;
    for (const strategy of strategies)
      for (const measure of this.measures) this.#columns.set(`${strategy} ${measure}`, new Float64Array(nights));
  }

  add(strategy: string, figures: Figures): void {
    const night = this.#filled.get(strategy) ?? 0;
    this.#filled.set(strategy, night + 1);
    for (const measure of this.measures)
      this.column(strategy, measure)[night] = measured(figures, measure, this.#scenario.price);
  }

  column(strategy: string, measure: Measure): Float64Array {
    const found = this.#columns.get(`${strategy} ${measure}`);
    if (found === undefined) throw new RangeError(`no ${measure} of ${strategy}`);
    return found;
  }
}

export interface CommonNights {
  readonly scenario: Scenario;
  readonly strategies: readonly string[];
  readonly seed: number;
  readonly nights: number;
}

/**
 * @param onTrial is told of every night, one strategy after the other, in the order of the seeds
 * @returns the table, and how many identities of the books do not hold
 */
export async function nightTable(
  { scenario, strategies, seed, nights }: CommonNights,
  pool: TrialSource,
  onTrial: (strategy: string, trial: Trial) => void,
): Promise<{ table: NightTable; discrepancies: number }> {
  const table = new NightTable(scenario, strategies, nights);
  let discrepancies = 0;
  for (const strategy of strategies) {
    for await (const trial of pool.trials({ scenario, strategy, firstSeed: seed, nights })) {
      table.add(strategy, trial.figures);
      discrepancies += trial.discrepancies;
      onTrial(strategy, trial);
    }
  }
  return { table, discrepancies };
}

export const NIGHT_COLUMNS = ['strategy', 'seed', 'stop_reason', ...FIGURE_NAMES] as const;

export function nightRow(strategy: string, { seed, stopReason, figures }: Trial) {
  return { strategy, seed, stop_reason: stopReason, ...figures };
}
