// The published storm night, run again: one night of each client over real HTTP, then a series of virtual nights, and every
// published figure held against what the series lets it be.

import { mean } from 'simple-statistics';
import { nightFiles } from '../books/night-files.ts';
import { discrepancies } from '../books/reconcile.ts';
import type { Night } from '../night.ts';
import { type ExperimentSettings, runExperiment, type StrategyResult } from '../run/experiment.ts';
import type { NightPool } from '../run/night-pool.ts';
import { loadScenario, presetPath } from '../scenario/load.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { GUARDED_FIGURES } from './figures.ts';
import { CLOSED_FORM } from './published.ts';
import {
  BUDGET_CLIENT,
  type Comparison,
  nightsOf,
  type ReproduceSettings,
  Series,
  type SeriesClient,
  seriesNight,
} from './series.ts';

/** A mean over the nights against the closed form. */
export interface ComparedMean {
  readonly name: string;
  readonly closedForm: number;
  readonly mean: number;
  /** Three standard errors of the mean. */
  readonly tolerance: number;
  readonly inside: boolean;
}

export interface Reproduction extends Comparison {
  readonly means: readonly ComparedMean[];
  /**
   * Whether the nights over HTTP and the virtual nights with the same seed have the same books, byte for byte; undefined on
   * real time, which no two nights share.
   */
  readonly clocksAgree: boolean | undefined;
  /** Identities that do not hold, over all nights. */
  readonly discrepancies: number;
  /** The nights with their books on file. */
  readonly results: readonly StrategyResult[];
  /** Whether they were cut short. */
  readonly partial: boolean;
}

export const STORM_NIGHT = 'storm-night';
const BUDGET_NIGHT = 'storm-night-budget-9000';
export function preset(name: string) {
  return loadScenario(presetPath(name) ?? name);
}

/** What is recorded on file: a night of each client through real HTTP. */
export function recordedPart({ seed, wall }: ReproduceSettings): ExperimentSettings {
  return { loaded: preset(STORM_NIGHT), strategies: ['naive', 'guarded'], seed, clock: 'lockstep', nights: 1, wall };
}

/** The nights over HTTP: those with their books on file, and the one with the small budget. */
export interface RecordedNights {
  readonly results: readonly StrategyResult[];
  readonly budget: Night;
  /** Whether they were cut short. */
  readonly partial: boolean;
}

/** Runs the nights over HTTP. Called last: on real time they are what must not be lost. */
export type RecordNights = (recorded: ExperimentSettings, budget: Scenario) => Promise<RecordedNights>;

/** On simulated time, through real HTTP. */
export function inLockstep(pool: NightPool, draft: string, onNight: (nights: number) => void): RecordNights {
  return async (recorded, scenario) => {
    const { results } = await runExperiment(recorded, pool, draft, onNight);
    const one = { scenario, strategy: 'guarded', clock: 'lockstep', firstSeed: recorded.seed, nights: 1 } as const;
    return { results, budget: await only(pool.series(one)), partial: false };
  };
}

export async function reproduce(
  settings: ReproduceSettings,
  pool: NightPool,
  onNight: (nights: number) => void,
  record: RecordNights,
): Promise<Reproduction> {
  const recorded = recordedPart(settings);
  const { scenario } = recorded.loaded;
  const budgetScenario = preset(BUDGET_NIGHT).scenario;
  const series = new Series();
  let wrong = 0;
  const run = async (client: SeriesClient, from: Scenario, strategy: string): Promise<Night> => {
    let first: Night | undefined;
    const nights = nightsOf(client, settings);
    const virtual = { scenario: from, strategy, clock: 'virtual', firstSeed: settings.seed, nights } as const;
    for await (const night of pool.series(virtual)) {
      first ??= night;
      wrong += discrepancies(night).length;
      series.add(seriesNight(client, night));
      onNight(1);
    }
    if (first === undefined) throw new Error('a series had no nights');
    return first;
  };
  const virtual = [
    await run('naive', scenario, 'naive'),
    await run('guarded', scenario, 'guarded'),
    await run(BUDGET_CLIENT, budgetScenario, 'guarded'),
  ];
  const { results, budget: budgetNight, partial } = await record(recorded, budgetScenario);
  const [naive, guarded] = results;
  if (naive === undefined || guarded === undefined) throw new Error('a strategy of the storm night did not run');
  const overHttp = { naive: naive.night, guarded: guarded.night, [BUDGET_CLIENT]: budgetNight };
  return {
    ...series.compare({
      naive: seriesNight('naive', overHttp.naive),
      guarded: seriesNight('guarded', overHttp.guarded),
      [BUDGET_CLIENT]: seriesNight(BUDGET_CLIENT, budgetNight),
    }),
    means: compareMeans(series),
    clocksAgree:
      settings.wall === undefined
        ? Object.values(overHttp).every((night, index) => sameBooks(night, virtual[index]))
        : undefined,
    discrepancies: wrong + naive.discrepancies + guarded.discrepancies + discrepancies(budgetNight).length,
    results,
    partial,
  };
}

/** Every figure, cell and check of the reproduction, counted. */
export function score({ naive, progress, table, guarded, means, budget, clocksAgree }: Reproduction): {
  inside: number;
  of: number;
} {
  const clocks = clocksAgree === undefined ? [] : [{ inside: clocksAgree }];
  const all = [...naive, ...progress, ...table.cells, ...guarded, ...means, ...budget, ...clocks];
  return { inside: all.filter(({ inside }) => inside).length, of: all.length };
}

async function only(nights: AsyncGenerator<Night>): Promise<Night> {
  for await (const night of nights) return night;
  throw new Error('a series of one night had none');
}

function sameBooks(a: Night, b: Night | undefined): boolean {
  return b !== undefined && JSON.stringify(nightFiles(a)) === JSON.stringify(nightFiles(b));
}

function compareMeans(series: Series): ComparedMean[] {
  const compare = (name: string, closedForm: number): ComparedMean => {
    const index = GUARDED_FIGURES.findIndex((figure) => figure.name === name);
    const values = series.of('guarded').flatMap((night) => night.values[index] ?? []);
    const average = mean(values);
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
