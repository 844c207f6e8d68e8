// The claim that a durable task can be killed at any moment: kill -9 of client and platform, separately, at random moments, and
// started again each time.
//   npm run crash -- --kills 100

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type CrashSettings, crashTask } from '../bench/durable/crash/crash-trial.ts';
import { judgeCrash } from '../bench/durable/crash/judge-crash.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    items: { type: 'string', default: '1500' },
    calls: { type: 'string', default: '20000' },
    speed: { type: 'string', default: '50' },
    seed: { type: 'string', default: '1' },
  },
});
const [kills, items, calls, speed, seed] = ['kills', 'items', 'calls', 'speed', 'seed'].map((name) =>
  Number(values[name as keyof typeof values]),
) as [number, number, number, number, number];

const say = (text: string) => process.stdout.write(`${text}\n`);
const folder = mkdtempSync(join(tmpdir(), 'storm-crash-'));
let left = kills;
let broken = 0;
try {
  // A task that is done before all kills are spent is followed by another.
  for (let round = 0; left > 0; round++) {
    const place = join(folder, String(round));
    mkdirSync(place);
    const settings: CrashSettings = { kills: left, items, calls, speed, seed: seed + round, folder: place };
    const crashed = await crashTask(settings);
    const verdict = judgeCrash(settings, crashed);
    const { client, platform } = crashed.kills;
    left -= client + platform;
    broken += verdict.broken.length;
    const arrived = verdict.interrupted.filter(({ fate }) => fate !== 'never_arrived').length;
    say(`task ${round + 1}, seed ${settings.seed}: client killed ${client} times, platform ${platform} times`);
    say(`  items done ${verdict.done} of ${items}, calls ${verdict.calls} of ${calls}, requests ${verdict.requests}`);
    say(
      `  interrupted ${verdict.interrupted.length}: ${arrived} arrived, ${verdict.interrupted.length - arrived} never`,
    );
    for (const { request_id, item, life, fate } of verdict.interrupted)
      say(`    ${request_id} (item ${item}, life ${life}): ${fate}`);
    for (const line of verdict.broken) say(`  broken: ${line}`);
    if (client + platform === 0) throw new Error('the task ended before it could be killed: give it more --items');
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
say(broken === 0 ? `${kills} kills: every promise kept, every book balances` : `${broken} promises broken`);
process.exitCode = broken === 0 ? 0 : 4;
