// The reference run: the storm night with seed 1 over HTTP. Writes its small files to results/reference/storm-night; a test makes them
// again and compares every byte.
//   npm run reference

import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { filesBelow } from '../bench/results-folder/manifest.ts';
import { commandOf, type ExperimentSettings, runExperiment, sealExperiment } from '../bench/run/experiment.ts';
import { NightPool } from '../bench/run/night-pool.ts';
import { loadScenario } from '../bench/scenario/load.ts';

/** A line for every request: megabytes, and in the manifest by their digests. */
const LARGE = /\/(requests\.csv|audit\.jsonl|decisions\.jsonl)$/;

export const REFERENCE = fileURLToPath(new URL('../../results/reference/storm-night', import.meta.url));

/** Makes the run anew and puts its small files into `folder`, which must not exist. */
export async function makeReference(folder: string): Promise<void> {
  const settings: ExperimentSettings = {
    loaded: loadScenario('storm-night'),
    strategies: ['naive', 'guarded'],
    seed: 1,
    clock: 'lockstep',
    nights: 1,
  };
  const draft = mkdtempSync(join(tmpdir(), 'storm-reference-'));
  const pool = new NightPool();
  try {
    await runExperiment(settings, pool, draft, () => {});
    sealExperiment(settings, draft, commandOf(settings));
    for (const file of filesBelow(draft).filter((name) => !LARGE.test(name))) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      cpSync(join(draft, file), join(folder, file));
    }
  } finally {
    await pool.close();
    rmSync(draft, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  rmSync(REFERENCE, { recursive: true, force: true });
  await makeReference(REFERENCE);
  process.stdout.write(`${filesBelow(REFERENCE).length} files in results/reference/storm-night\n`);
}
