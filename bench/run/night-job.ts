// What a worker thread does: whole nights, one after another. Everything that comes in and goes out is plain data.

import { type RecordedNight, recordNight } from '../books/record-night.ts';
import { type ClockName, type Night, runNight } from '../night.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { runTrial, type Trial, type TrialsJob } from './trial.ts';

export interface NightsJob {
  readonly scenario: Scenario;
  readonly strategy: string;
  readonly clock: ClockName;
  readonly seeds: readonly number[];
  /** Folder for the books by request; only for a job of a single seed. */
  readonly recordInto?: string;
}

export interface NightsResult {
  readonly nights: readonly Night[];
  readonly recorded: RecordedNight | undefined;
}

export default async function runJob({
  scenario,
  strategy,
  clock,
  seeds,
  recordInto,
}: NightsJob): Promise<NightsResult> {
  const specs = seeds.map((seed) => ({ scenario, strategy, seed, clock }));
  const [first] = specs;
  if (recordInto !== undefined && first !== undefined) {
    const recorded = await recordNight(first, recordInto);
    return { nights: [recorded.night], recorded };
  }
  const nights: Night[] = [];
  for (const spec of specs) nights.push(await runNight(spec));
  return { nights, recorded: undefined };
}

/** The worker's other kind of job, called by its name. */
export async function trials({ seeds, ...each }: TrialsJob): Promise<readonly Trial[]> {
  const results: Trial[] = [];
  for (const seed of seeds) results.push(await runTrial(each, seed));
  return results;
}
