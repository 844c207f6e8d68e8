// One run of `storm run --clock wall`: the strategies side by side on real time, each night judged, and held against a band of
// virtual nights that are run before, since they would disturb it.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeNightFiles } from '../books/night-files.ts';
import { discrepancies } from '../books/reconcile.ts';
import { summarise } from '../books/summary.ts';
import type { Night } from '../night.ts';
import { type Band, type Faithfulness, faithfulness, virtualBand } from '../wall/faithfulness.ts';
import type { Judgement } from '../wall/judge.ts';
import type { PairSpec } from '../wall/thread-pair.ts';
import { type WallNight, WallRun } from '../wall/wall-run.ts';
import { type ExperimentSettings, type StrategyResult, summaryJson } from './experiment.ts';
import type { NightPool } from './night-pool.ts';

export interface WallSettings {
  /** Scenario time in a unit of real time. */
  readonly speed: number;
  /** Virtual nights to hold the minutes against; 0 for none. */
  readonly bandNights: number;
}

/** What summary.json says of a night on real time besides what it says of any. */
export interface WallSummary {
  readonly real_time: Omit<Judgement, 'void_because'>;
  /** Missing without a band, and of a night that was cut short. */
  readonly faithfulness?: Faithfulness;
  readonly void?: true;
  readonly void_because?: readonly string[];
}

/** Looks after a run while it lasts: shows how far it is, drains it on an interrupt. */
export type Watch = (run: WallRun) => () => void;

export interface WallResults {
  readonly results: readonly StrategyResult[];
  /** Nights that were run beside, without books on file. */
  readonly beside: readonly Night[];
  readonly partial: boolean;
}

/** Bands of the strategies, in their order; undefined where none are wanted. */
export function wallBands(
  { loaded, strategies, seed, wall }: ExperimentSettings,
  pool: NightPool,
): Promise<readonly (Band | undefined)[]> {
  const nights = wall?.bandNights ?? 0;
  return Promise.all(
    strategies.map((strategy) =>
      nights === 0 ? undefined : virtualBand(pool, loaded.scenario, strategy, seed, nights),
    ),
  );
}

/**
 * Runs everything and writes all but the manifest into `draft`.
 * @param beside nights to run at the same time, with folders of their own
 * @throws WallFault as WallRun does
 */
export async function runWallExperiment(
  settings: ExperimentSettings,
  bands: readonly (Band | undefined)[],
  draft: string,
  watch: Watch,
  beside: readonly PairSpec[] = [],
): Promise<WallResults> {
  const { loaded, strategies, seed, wall } = settings;
  const speed = wall?.speed ?? 1;
  const { scenario } = loaded;
  const own = strategies.map(
    (strategy): PairSpec => ({ scenario, strategy, seed, speed, folder: join(draft, strategy) }),
  );
  const run = new WallRun([...own, ...beside]);
  const unwatch = watch(run);
  const nights = await run.run().finally(unwatch);
  const results = nights.slice(0, own.length).map((each, index) => resultOf(each, bands[index]));
  for (const { strategy, night } of results) writeNightFiles(night, join(draft, strategy));
  const partial = nights.some((each) => each.partial);
  writeFileSync(join(draft, 'scenario.yaml'), loaded.text, { flag: 'wx' });
  writeFileSync(join(draft, 'summary.json'), summaryJson(settings, results, partial), { flag: 'wx' });
  return { results, beside: nights.slice(own.length).map(({ night }) => night), partial };
}

function resultOf({ night, judgement, unmatched, partial }: WallNight, band: Band | undefined): StrategyResult {
  const { void_because, ...real_time } = judgement;
  const wall: WallSummary = {
    real_time,
    ...(band === undefined || partial ? {} : { faithfulness: faithfulness(night, band) }),
    ...(void_because.length === 0 ? {} : { void: true, void_because }),
  };
  const wrong = discrepancies(night).length + unmatched;
  return { strategy: night.strategy, night, summary: summarise(night), spreads: {}, discrepancies: wrong, wall };
}
