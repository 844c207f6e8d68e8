// Nights side by side on all cores: a piscina pool of worker threads, fed with a bounded number of jobs and read in the
// order of the seeds, whatever the order in which workers finish.

import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { RecordedNight } from '../books/record-night.ts';
import type { ClockName, Night, NightSpec } from '../night.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { NightsJob, NightsResult } from './night-job.ts';

/** Nights of one strategy with the seeds `firstSeed`, `firstSeed + 1`, … */
export interface NightSeries {
  readonly scenario: Scenario;
  readonly strategy: string;
  readonly clock: ClockName;
  readonly firstSeed: number;
  readonly nights: number;
}

/** Nights a job: few enough to share out evenly, many enough that messages cost nothing. */
const NIGHTS_PER_JOB = 10;

export class NightPool {
  readonly #pool: Piscina<NightsJob, NightsResult>;
  readonly workers: number;

  /** @param workers threads; all cores when undefined */
  constructor(workers: number = availableParallelism()) {
    this.workers = workers;
    this.#pool = new Piscina({
      filename: new URL('./night-job.js', import.meta.url).href,
      minThreads: workers,
      maxThreads: workers,
      // A night's garbage is young; a fixed young generation keeps memory flat however many nights there are.
      resourceLimits: { maxYoungGenerationSizeMb: 64 },
    });
  }

  /** Runs one night and writes its books by request into `folder`. */
  async record({ scenario, strategy, clock, seed }: NightSpec, folder: string): Promise<RecordedNight> {
    const { recorded } = await this.#pool.run({ scenario, strategy, clock, seeds: [seed], recordInto: folder });
    if (recorded === undefined) throw new Error('the worker returned no recorded night');
    return recorded;
  }

  /** Runs a series and hands out its nights in the order of their seeds, holding no more than a few jobs of them. */
  async *series({ scenario, strategy, clock, firstSeed, nights }: NightSeries): AsyncGenerator<Night> {
    const jobs = Math.ceil(nights / NIGHTS_PER_JOB);
    const start = (job: number) => {
      const from = firstSeed + job * NIGHTS_PER_JOB;
      const count = Math.min(NIGHTS_PER_JOB, nights - job * NIGHTS_PER_JOB);
      const seeds = Array.from({ length: count }, (_, index) => from + index);
      const result = this.#pool.run({ scenario, strategy, clock, seeds });
      // It may fail before its turn to be awaited comes; until then the failure is not unhandled, it waits.
      result.catch(() => undefined);
      return result;
    };
    const underWay: Promise<NightsResult>[] = [];
    let next = 0;
    try {
      while (next < jobs || underWay.length > 0) {
        while (next < jobs && underWay.length < this.workers + 2) underWay.push(start(next++));
        const result = await underWay.shift();
        yield* result?.nights ?? [];
      }
    } finally {
      // When one job failed, or the reader has had enough: nothing of this series goes on in the background.
      await Promise.allSettled(underWay);
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}
