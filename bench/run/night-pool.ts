// Nights side by side on all cores: a piscina pool of worker threads, fed with a bounded number of jobs and read in the
// order of the seeds, whatever the order in which workers finish.

import { availableParallelism } from 'node:os';
import { Piscina } from 'piscina';
import type { RecordedNight } from '../books/record-night.ts';
import type { ClockName, Night, NightSpec } from '../night.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { inOrder } from './in-order.ts';
import type { NightsJob, NightsResult } from './night-job.ts';
import type { Trial, TrialsJob } from './trial.ts';
import { jobsOf, type SeedRange, seedsOfJob, type TrialSeries, type TrialSource } from './trial-source.ts';

/** Nights of one strategy with the seeds `firstSeed`, `firstSeed + 1`, … */
export interface NightSeries extends SeedRange {
  readonly scenario: Scenario;
  readonly strategy: string;
  readonly clock: ClockName;
}

export class NightPool implements TrialSource {
  readonly #pool: Piscina<NightsJob | TrialsJob, unknown>;
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
    const { recorded } = await this.#nights({ scenario, strategy, clock, seeds: [seed], recordInto: folder });
    if (recorded === undefined) throw new Error('the worker returned no recorded night');
    return recorded;
  }

  /** Runs a series and hands out its nights in the order of their seeds, holding no more than a few jobs of them. */
  async *series({ scenario, strategy, clock, ...seeds }: NightSeries): AsyncGenerator<Night> {
    const start = (job: number) => this.#nights({ scenario, strategy, clock, seeds: seedsOfJob(seeds, job) });
    for await (const { nights } of inOrder(jobsOf(seeds), this.workers + 2, start)) yield* nights;
  }

  /** As `series`, on the virtual clock, and what comes back of each night is what choosing needs. */
  async *trials({ scenario, strategy, marks = [], ...seeds }: TrialSeries): AsyncGenerator<Trial> {
    const start = (job: number) => this.#trials({ scenario, strategy, marks, seeds: seedsOfJob(seeds, job) });
    for await (const trials of inOrder(jobsOf(seeds), this.workers + 2, start)) yield* trials;
  }

  /** The worker's file exports a function for each kind of job. */
  #nights(job: NightsJob): Promise<NightsResult> {
    return this.#pool.run(job) as Promise<NightsResult>;
  }

  #trials(job: TrialsJob): Promise<readonly Trial[]> {
    return this.#pool.run(job, { name: 'trials' }) as Promise<readonly Trial[]>;
  }

  async close(): Promise<void> {
    await this.#pool.destroy();
  }
}
