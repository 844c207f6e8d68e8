// How fast real time may be driven on this machine: for each speed a night of each strategy side by side, the share of its
// minute cells that leave the band of virtual nights, and the largest speed that is still faithful.
//   npm run bench:speeds -- --speeds 1,5,20 --scenario storm-night

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { table } from '../bench/cli/screen.ts';
import { NightPool } from '../bench/run/night-pool.ts';
import { loadScenario } from '../bench/scenario/load.ts';
import { faithfulness, virtualBand } from '../bench/wall/faithfulness.ts';
import { WallRun } from '../bench/wall/wall-run.ts';

const { values } = parseArgs({
  options: {
    speeds: { type: 'string', default: '1,5,10,20,50,100,200' },
    scenario: { type: 'string', default: 'storm-night' },
    strategies: { type: 'string', default: 'naive,guarded' },
    seed: { type: 'string', default: '1' },
    nights: { type: 'string', default: '200' },
  },
});
const speeds = values.speeds.split(',').map(Number);
const strategies = values.strategies.split(',');
const seed = Number(values.seed);
if (speeds.some((speed) => !(speed > 0))) throw new Error(`--speeds: got ${values.speeds}; allowed: numbers above 0`);
const { scenario } = loadScenario(values.scenario);
const pool = new NightPool();
const bands = await Promise.all(
  strategies.map((strategy) => virtualBand(pool, scenario, strategy, seed, Number(values.nights))),
).finally(() => pool.close());

let largest: number | undefined;
for (const speed of speeds) {
  const folder = mkdtempSync(join(tmpdir(), 'storm-speed-'));
  try {
    const specs = strategies.map((strategy) => ({ scenario, strategy, seed, speed, folder: join(folder, strategy) }));
    const nights = await new WallRun(specs).run();
    const rows = nights.map(({ night, judgement }, index) => {
      const band = bands[index];
      if (band === undefined) throw new Error(`no band of ${night.strategy}`);
      const { cells, outside, share_outside } = faithfulness(night, band);
      const { slip, loop_delay_ms, void_because } = judgement;
      const faithful = outside.length === 0 && void_because.length === 0;
      const share = `${(100 * share_outside).toFixed(1)} %`;
      const verdict = void_because.length > 0 ? 'void' : faithful ? 'faithful' : 'unfaithful';
      return {
        faithful,
        cells: [
          speed,
          night.strategy,
          cells,
          outside.length,
          share,
          `${(100 * slip).toFixed(1)} %`,
          loop_delay_ms,
          verdict,
        ],
      };
    });
    const head = ['speed', 'strategy', 'cells', 'outside', 'share', 'slip', 'loop delay ms', ''];
    process.stdout.write(
      `${table(
        head,
        rows.map((row) => row.cells),
      )}\n`,
    );
    if (rows.every(({ faithful }) => faithful)) largest = Math.max(largest ?? 0, speed);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
process.stdout.write(`largest speed that is still faithful on this machine: ${largest ?? 'none of these'}\n`);
process.exitCode = largest === undefined ? 4 : 0;
