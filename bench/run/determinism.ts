// Proof on demand that a night is repeatable: the same seed again, on the other clock, and with 1, 2 and 4 workers; every
// file must come out byte for byte the same.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeNightFiles } from '../books/night-files.ts';
import { CLOCKS, type ClockName } from '../night.ts';
import { filesBelow } from '../results-folder/manifest.ts';
import { removeTemporary, temporaryFolder } from '../results-folder/result-folder.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { NightPool } from './night-pool.ts';

const WORKERS = [1, 2, 4];
/** Nights of the comparison between numbers of workers. */
const NIGHTS = 20;

export interface DeterminismReport {
  readonly strategy: string;
  readonly files: number;
  /** What differed; empty when nothing did. */
  readonly differences: readonly string[];
}

export async function checkDeterminism(scenario: Scenario, strategy: string, seed: number): Promise<DeterminismReport> {
  const folder = temporaryFolder('storm-determinism-');
  try {
    const first = await recordedFiles(scenario, strategy, seed, 'virtual', join(folder, 'first'));
    const differences: string[] = [];
    for (const clock of CLOCKS) {
      const again = await recordedFiles(scenario, strategy, seed, clock, join(folder, clock));
      for (const [name, bytes] of first) {
        if (again.get(name)?.equals(bytes) !== true) differences.push(`${name} on the ${clock} clock`);
      }
    }
    const [one, ...others] = await Promise.all(WORKERS.map((workers) => seriesText(scenario, strategy, seed, workers)));
    others.forEach((text, index) => {
      if (text !== one) differences.push(`${NIGHTS} nights on ${WORKERS[index + 1]} workers instead of 1`);
    });
    return { strategy, files: first.size, differences };
  } finally {
    removeTemporary(folder);
  }
}

async function recordedFiles(
  scenario: Scenario,
  strategy: string,
  seed: number,
  clock: ClockName,
  folder: string,
): Promise<Map<string, Buffer>> {
  const pool = new NightPool(1);
  try {
    const { night } = await pool.record({ scenario, strategy, seed, clock }, folder);
    writeNightFiles(night, folder);
  } finally {
    await pool.close();
  }
  return new Map(filesBelow(folder).map((name) => [name, readFileSync(join(folder, name))]));
}

async function seriesText(scenario: Scenario, strategy: string, firstSeed: number, workers: number): Promise<string> {
  const pool = new NightPool(workers);
  const lines: string[] = [];
  try {
    for await (const night of pool.series({ scenario, strategy, clock: 'virtual', firstSeed, nights: NIGHTS })) {
      lines.push(JSON.stringify(night));
    }
  } finally {
    await pool.close();
  }
  return lines.join('\n');
}
