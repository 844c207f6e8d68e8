// The claim that the two clocks are one: whole storm nights of both clients for many seeds, in process and over HTTP, with
// books compared byte for byte.
//   npm run check:clocks -- --seeds 20

import { parseArgs } from 'node:util';
import { nightFiles } from '../bench/books/night-files.ts';
import { CLOCKS, type Night } from '../bench/night.ts';
import { NightPool } from '../bench/run/night-pool.ts';
import { loadScenario } from '../bench/scenario/load.ts';

const { values } = parseArgs({ options: { seeds: { type: 'string', default: '20' } } });
const seeds = Number(values.seeds);
const { scenario } = loadScenario('storm-night');
const pool = new NightPool();
let differ = 0;
for (const strategy of Object.keys(scenario.strategies)) {
  const [virtual = [], lockstep = []] = await Promise.all(
    CLOCKS.map(async (clock) => {
      const nights: Night[] = [];
      for await (const night of pool.series({ scenario, strategy, clock, firstSeed: 1, nights: seeds }))
        nights.push(night);
      return nights.map((night) => JSON.stringify(nightFiles(night)));
    }),
  );
  const equal = virtual.filter((text, index) => text === lockstep[index]).length;
  differ += seeds - equal;
  process.stdout.write(`${strategy}: ${equal} of ${seeds} nights have the same books on both clocks\n`);
}
await pool.close();
process.exitCode = differ === 0 ? 0 : 4;
