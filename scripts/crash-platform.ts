// The platform of the crash script in a process of its own, so that it can be killed alone; started again on the same records it
// goes on.
//   node dist/scripts/crash-platform.js --scenario FILE --records FILE --seed 1 --speed 50 --port 8080

import { parseArgs } from 'node:util';
import { servePlatform } from '../bench/durable/served-platform.ts';
import { loadScenario } from '../bench/scenario/load.ts';

const { values } = parseArgs({
  options: {
    scenario: { type: 'string', default: 'storm-night' },
    records: { type: 'string', default: 'records.jsonl' },
    seed: { type: 'string', default: '1' },
    speed: { type: 'string', default: '1' },
    port: { type: 'string', default: '0' },
  },
});
const { scenario } = loadScenario(values.scenario);
const [seed, speed, port] = [values.seed, values.speed, values.port].map(Number) as [number, number, number];
const served = await servePlatform({ scenario, seed, speed, port, records: values.records });
process.stdout.write(`${served.origin} ${served.restored}\n`);
