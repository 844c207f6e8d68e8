// Where the nights that choosing needs come from: this machine's threads, or any number of machines. Whoever runs them, the same
// series gives the same trials in the same order.

import type { Trial, TrialsJob } from './trial.ts';

/** The seeds `firstSeed`, `firstSeed + 1`, …, as many as there are nights. */
export interface SeedRange {
  readonly firstSeed: number;
  readonly nights: number;
}

/** Nights of one strategy on the virtual clock, of which little is asked. */
export type TrialSeries = Omit<TrialsJob, 'seeds' | 'marks'> & Partial<Pick<TrialsJob, 'marks'>> & SeedRange;

export interface TrialSource {
  /** Runs a series and hands out its trials in the order of their seeds, holding no more than a few jobs of them. */
  trials(series: TrialSeries): AsyncGenerator<Trial>;
  close(): Promise<void>;
}

/** Nights a job: few enough to share out evenly, many enough that messages cost nothing. */
const NIGHTS_PER_JOB = 10;

export const jobsOf = ({ nights }: SeedRange): number => Math.ceil(nights / NIGHTS_PER_JOB);

export function seedsOfJob({ firstSeed, nights }: SeedRange, job: number): number[] {
  const before = job * NIGHTS_PER_JOB;
  return Array.from({ length: Math.min(NIGHTS_PER_JOB, nights - before) }, (_, index) => firstSeed + before + index);
}
