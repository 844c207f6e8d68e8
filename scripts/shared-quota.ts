// Who starves whom: a naive and a guarded client on one platform and one quota, over HTTP on the wall clock, in a process of its
// own as `storm serve` runs it.
//   npm run shared-quota -- --speed 30

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { loadScenario } from '../bench/scenario/load.ts';
import { driveServed } from '../bench/serve/drive-served.ts';
import { startServed } from '../bench/serve/served-process.ts';

const { values } = parseArgs({
  options: { speed: { type: 'string', default: '20' }, seed: { type: 'string', default: '1' } },
});
const speed = Number(values.speed);
const seed = Number(values.seed);
const { scenario } = loadScenario('shared-quota');
const scratch = mkdtempSync(join(tmpdir(), 'storm-shared-'));
const options = ['--profile', 'shared-quota', '--speed', String(speed), '--seed', String(seed)];
const served = await startServed([...options, '--out', join(scratch, 'results')]);
try {
  const strategies = Object.keys(scenario.strategies);
  const origin = served.origin;
  const tasks = await Promise.all(
    strategies.map((strategy) => driveServed({ scenario, strategy, seed, origin, speed })),
  );
  tasks.forEach((task, index) => {
    const { done, tally } = task;
    const share = Math.round((done.size / scenario.task.items) * 100);
    process.stdout.write(
      `${strategies[index]}: ${done.size} of ${scenario.task.items} items (${share} %) with ${tally.attempts} calls, ` +
        `ended: ${task.stopReason ?? 'done'}\n`,
    );
  });
  const { code, stdout } = await served.stop();
  process.stdout.write(`\n${stdout.split('\n').slice(1, -2).join('\n')}\n`);
  process.exitCode = code ?? 1;
} finally {
  served.kill();
  rmSync(scratch, { recursive: true, force: true });
}
