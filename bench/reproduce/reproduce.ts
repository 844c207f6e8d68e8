// The published storm night, run again: one night of each client over real HTTP, then a series of virtual nights, and every
// published figure held against what the series lets it be.

import { mean } from 'simple-statistics';
import { nightFiles } from '../books/night-files.ts';
import { discrepancies } from '../books/reconcile.ts';
import type { Night } from '../night.ts';
import { type ExperimentSettings, runExperiment } from '../run/experiment.ts';
import type { NightPool } from '../run/night-pool.ts';
import { loadScenario, presetPath } from '../scenario/load.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { type ComparedTable, compareTable, tableCells } from './billing-band.ts';
import {
  BUDGET_FIGURES,
  type ComparedFigure,
  FigureFold,
  GUARDED_FIGURES,
  NAIVE_FIGURES,
  PROGRESS_FIGURES,
} from './figures.ts';
import { CLOSED_FORM } from './published.ts';

/** A mean over the nights against the closed form. */
export interface ComparedMean {
  readonly name: string;
  readonly closedForm: number;
  readonly mean: number;
  /** Three standard errors of the mean. */
  readonly tolerance: number;
  readonly inside: boolean;
}

export interface Reproduction {
  readonly naive: readonly ComparedFigure[];
  readonly progress: readonly ComparedFigure[];
  readonly table: ComparedTable;
  readonly guarded: readonly ComparedFigure[];
  readonly means: readonly ComparedMean[];
  readonly budget: readonly ComparedFigure[];
  /** Whether the nights over HTTP and the virtual nights with the same seed have the same books, byte for byte. */
  readonly clocksAgree: boolean;
  /** Identities that do not hold, over all nights. */
  readonly discrepancies: number;
}

export interface ReproduceSettings {
  readonly seed: number;
  readonly nights: number;
}

export const STORM_NIGHT = 'storm-night';
const BUDGET_NIGHT = 'storm-night-budget-9000';
/** Of the night with the small budget: enough for its one uncertain figure. */
export const BUDGET_NIGHTS = 200;

export function preset(name: string) {
  return loadScenario(presetPath(name) ?? name);
}

/** What is recorded on file: a night of each client through real HTTP. */
export function recordedPart({ seed }: ReproduceSettings): ExperimentSettings {
  return { loaded: preset(STORM_NIGHT), strategies: ['naive', 'guarded'], seed, clock: 'lockstep', nights: 1 };
}

export async function reproduce(
  settings: ReproduceSettings,
  pool: NightPool,
  draft: string,
  onNight: (nights: number) => void,
): Promise<Reproduction> {
  const recorded = recordedPart(settings);
  const { scenario } = recorded.loaded;
  const [naive, guarded] = await runExperiment(recorded, pool, draft, onNight);
  if (naive === undefined || guarded === undefined) throw new Error('a strategy of the storm night did not run');
  const budgetScenario = preset(BUDGET_NIGHT).scenario;
  const budgetNight = await only(
    pool.series({
      scenario: budgetScenario,
      strategy: 'guarded',
      clock: 'lockstep',
      firstSeed: settings.seed,
      nights: 1,
    }),
  );
  const folds = {
    naive: new FigureFold(NAIVE_FIGURES),
    progress: new FigureFold(PROGRESS_FIGURES),
    guarded: new FigureFold(GUARDED_FIGURES),
    budget: new FigureFold(BUDGET_FIGURES),
  };
  const tables: Uint32Array[] = [];
  let wrong = naive.discrepancies + guarded.discrepancies + discrepancies(budgetNight).length;
  const series = async (
    from: Scenario,
    strategy: string,
    nights: number,
    take: (night: Night) => void,
  ): Promise<Night> => {
    let first: Night | undefined;
    for await (const night of pool.series({
      scenario: from,
      strategy,
      clock: 'virtual',
      firstSeed: settings.seed,
      nights,
    })) {
      first ??= night;
      wrong += discrepancies(night).length;
      take(night);
      onNight(1);
    }
    if (first === undefined) throw new Error('a series had no nights');
    return first;
  };
  const virtual = [
    await series(scenario, 'naive', settings.nights, (night) => {
      folds.naive.add(night);
      folds.progress.add(night);
      tables.push(tableCells(night));
    }),
    await series(scenario, 'guarded', settings.nights, (night) => folds.guarded.add(night)),
    await series(budgetScenario, 'guarded', BUDGET_NIGHTS, (night) => folds.budget.add(night)),
  ];
  const overHttp = [naive.night, guarded.night, budgetNight];
  return {
    naive: folds.naive.compare(naive.night),
    progress: folds.progress.compare(naive.night),
    table: compareTable(naive.night, tables),
    guarded: folds.guarded.compare(guarded.night),
    means: compareMeans(folds.guarded),
    budget: folds.budget.compare(budgetNight),
    clocksAgree: overHttp.every((night, index) => sameBooks(night, virtual[index])),
    discrepancies: wrong,
  };
}

/** Every figure, cell and check of the reproduction, counted. */
export function score({ naive, progress, table, guarded, means, budget, clocksAgree }: Reproduction): {
  inside: number;
  of: number;
} {
  const all = [...naive, ...progress, ...table.cells, ...guarded, ...means, ...budget, { inside: clocksAgree }];
  return { inside: all.filter(({ inside }) => inside).length, of: all.length };
}

async function only(nights: AsyncGenerator<Night>): Promise<Night> {
  for await (const night of nights) return night;
  throw new Error('a series of one night had none');
}

function sameBooks(a: Night, b: Night | undefined): boolean {
  return b !== undefined && JSON.stringify(nightFiles(a)) === JSON.stringify(nightFiles(b));
}

function compareMeans(guarded: FigureFold): ComparedMean[] {
  const compare = (name: string, closedForm: number): ComparedMean => {
    const values = guarded.values(name);
    const average = mean([...values]);
    const variance = values.reduce((sum, value) => sum + (value - average) ** 2, 0) / (values.length - 1);
    const tolerance = 3 * Math.sqrt(variance / values.length);
    return { name, closedForm, mean: average, tolerance, inside: Math.abs(average - closedForm) <= tolerance };
  };
  return [
    compare('calls', CLOSED_FORM.calls),
    compare('billed', CLOSED_FORM.billed),
    compare('items abandoned', CLOSED_FORM.itemsAbandoned),
  ];
}
