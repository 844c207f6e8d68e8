// Strategies over common nights: night n of each has the same seed and meets the same faults, so that differences are taken
// night by night. What is kept of a night is a number for each measure.

import { FIGURE_NAMES } from '../../books/figures.ts';
import type { NightPool } from '../../run/night-pool.ts';
import type { Trial } from '../../run/trial.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { type Measure, measured, measuresOf } from '../measures.ts';

export interface NightTable {
  readonly strategies: readonly string[];
  readonly measures: readonly Measure[];
  readonly items: number;
  readonly nights: number;
  /** Identities of the books that do not hold, over all nights. */
  readonly discrepancies: number;
  /** A measure of a strategy, night by night. */
  column(strategy: string, measure: Measure): Float64Array;
}

export interface NightTableSettings {
  readonly scenario: Scenario;
  readonly strategies: readonly string[];
  readonly seed: number;
  readonly nights: number;
}

/** @param onTrial is told of every night, one strategy after the other, in the order of the seeds */
export async function nightTable(
  { scenario, strategies, seed, nights }: NightTableSettings,
  pool: NightPool,
  onTrial: (strategy: string, trial: Trial) => void,
): Promise<NightTable> {
  const { price } = scenario;
  const measures = measuresOf(price);
  const columns = new Map<string, Float64Array>();
  let discrepancies = 0;
  for (const strategy of strategies) {
    const own = measures.map((measure) => {
      const column = new Float64Array(nights);
      columns.set(`${strategy} ${measure}`, column);
      return column;
    });
    let night = 0;
    for await (const trial of pool.trials({ scenario, strategy, firstSeed: seed, nights })) {
      measures.forEach((measure, index) => {
        const column = own[index];
        if (column !== undefined) column[night] = measured(trial.figures, measure, price);
      });
      night++;
      discrepancies += trial.discrepancies;
      onTrial(strategy, trial);
    }
  }
  const column = (strategy: string, measure: Measure): Float64Array => {
    const found = columns.get(`${strategy} ${measure}`);
    if (found === undefined) throw new RangeError(`no ${measure} of ${strategy}`);
    return found;
  };
  return { strategies, measures, items: scenario.task.items, nights, discrepancies, column };
}

export const NIGHT_COLUMNS = ['strategy', 'seed', 'stop_reason', ...FIGURE_NAMES] as const;

export function nightRow(strategy: string, { seed, stopReason, figures }: Trial) {
  return { strategy, seed, stop_reason: stopReason, ...figures };
}
