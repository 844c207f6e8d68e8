// Naive and guarded side by side on real time, night after night: the ledger must stay without a discrepancy, and memory after
// the warm-up must stay flat.
//   npm run soak -- --speed 20             one storm night, about a minute
//   npm run soak -- --speed 1 --hours 1    as many nights as an hour takes

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { discrepancies } from '../bench/books/reconcile.ts';
import { platformTotals } from '../bench/books/summary.ts';
import { shown, table } from '../bench/cli/screen.ts';
import { showWallRun } from '../bench/cli/wall-progress.ts';
import { everyMs, monotonicMs } from '../bench/clocks/wall-clock.ts';
import { loadScenario } from '../bench/scenario/load.ts';
import { WallRun } from '../bench/wall/wall-run.ts';
import { flatness } from './flatness.ts';

const { values } = parseArgs({
  options: {
    speed: { type: 'string', default: '20' },
    hours: { type: 'string', default: '0' },
    scenario: { type: 'string', default: 'storm-night' },
    seed: { type: 'string', default: '1' },
  },
});
const speed = Number(values.speed);
const untilMs = monotonicMs() + Number(values.hours) * 3_600_000;
const { scenario } = loadScenario(values.scenario);

const MB = 2 ** 20;
const SAMPLE_MS = 500;
const samples: number[] = [];
const stopSampling = everyMs(SAMPLE_MS, () => samples.push(process.memoryUsage.rss() / MB));

const rows: (string | number)[][] = [];
let wrong = 0;
let seed = Number(values.seed);
do {
  const folder = mkdtempSync(join(tmpdir(), 'storm-soak-'));
  try {
    const specs = ['naive', 'guarded'].map((strategy) => ({
      scenario,
      strategy,
      seed,
      speed,
      folder: join(folder, strategy),
    }));
    const run = new WallRun(specs);
    const hide = showWallRun(run, { quiet: false, everyS: 30 });
    for (const { night, unmatched, judgement } of await run.run().finally(hide)) {
      const { total, billed } = platformTotals(night);
      const differ = discrepancies(night).length + unmatched;
      wrong += differ;
      const { done, abandoned, unfinished } = night.items;
      const kept = judgement.void_because.length > 0 ? 'void' : `slip ${(100 * judgement.slip).toFixed(1)} %`;
      rows.push([seed, night.strategy, total, billed, done, abandoned, unfinished, differ, kept]);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  seed++;
} while (monotonicMs() < untilMs);
stopSampling();

const memory = flatness(samples);
const head = ['seed', 'strategy', 'calls', 'billed', 'done', 'abandoned', 'unfinished', 'discrepancies', 'time kept'];
process.stdout.write(`${table(head, rows)}\n\n`);
process.stdout.write(
  `memory after the warm-up: ${shown(memory.early)} MB, at the end ${shown(memory.late)} MB, ratio ${memory.ratio.toFixed(3)} (wanted: at most 1.1)\n`,
);
process.stdout.write(`discrepancies: ${wrong}\n`);
process.exitCode = wrong > 0 ? 3 : memory.ratio > 1.1 ? 4 : 0;
