// A guarded task on real processes and sockets, killed at random moments, client and platform separately, and started again each
// time until it is done. What it has come to is told by the two files that are left.

import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stream } from '../../../platform-sim/draws.ts';
import { WallClock } from '../../clocks/wall-clock.ts';
import { Child, type Ended } from './child.ts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const STORM = join(ROOT, 'scripts', 'storm.mjs');
const PLATFORM = join(ROOT, 'dist', 'scripts', 'crash-platform.js');

export interface CrashSettings {
  /** Kills at most; a task that is done sooner has had fewer. */
  readonly kills: number;
  readonly items: number;
  readonly calls: number;
  readonly speed: number;
  /** Of the night, and of the moments. */
  readonly seed: number;
  /** Empty; holds the scenario, the state and the records afterwards. */
  readonly folder: string;
}

export interface Kills {
  client: number;
  platform: number;
}

export interface CrashedTask {
  readonly kills: Kills;
  /** How the last life ended: the exit code, and its last words. */
  readonly end: Ended;
  readonly state: string;
  readonly records: string;
}

/** The storm night, with room for the kills: each may cost every item in flight an attempt. */
const scenarioOf = ({ items, calls }: CrashSettings): string => `name: crash
epoch: 2026-10-16T02:00:00Z
limits: { scenario_time_s: 2000000 }
platform:
  latency_ms: [150, 250]
  rejection_latency_ms: [10, 30]
  overhead_ms: 2
  gates:
    - { gate: edge_token_bucket, refill_per_s: 30, burst: 60, retry_after: { form: seconds } }
    - { gate: soft_limit, rate: 0.08, retry_after: { form: seconds, value_s: 2 } }
    - { gate: monthly_quota, calls: 1000000, retry_after: { form: absent } }
    - { gate: billing }
    - { gate: fault, rate: 0.25 }
task: { name: crash, items: ${items}, client_start_ms: 0, prep_ms: 145 }
strategies:
  guarded: { set: { attempt_cap: { attempts: 1000 }, call_budget: { calls: ${calls} } } }
`;

/** Kills at a random moment of the process's start, else after a random number of requests: a fifth and four fifths. */
const AT_START = 0.2;
const MAX_START_MS = 600;
const MAX_REQUESTS = 60;
const LOOK_MS = 4;

export async function crashTask(settings: CrashSettings): Promise<CrashedTask> {
  const { folder, seed } = settings;
  const at = (name: string) => join(folder, name);
  writeFileSync(at('crash.yaml'), scenarioOf(settings), { flag: 'wx' });
  const paths = { records: at('records.jsonl'), state: at('task.state') };
  let platform = startPlatform(settings, paths.records, 0);
  const [origin = ''] = (await platform.firstLine()).split(' ');
  const start = () => startClient(settings, paths.state, origin);
  let client = start();
  const kills: Kills = { client: 0, platform: 0 };
  const chance = stream(seed, 'crash');
  try {
    for (let number = 0; number < settings.kills; number++) {
      await moment(client, paths.records, [chance(number, 0), chance(number, 1)]);
      if (client.over) break;
      if (chance(number, 2) < 0.5) {
        await client.kill();
        kills.client++;
        client = start();
      } else {
        await platform.kill();
        kills.platform++;
        platform = startPlatform(settings, paths.records, Number(new URL(origin).port));
      }
    }
    return { kills, end: await client.ended, ...paths };
  } finally {
    await Promise.all([client.kill(), platform.kill()]);
  }
}

/** Waits for the moment of the next kill, or for the client to end. */
async function moment(client: Child, records: string, [kind, when]: readonly [number, number]): Promise<void> {
  const clock = new WallClock();
  if (kind < AT_START) return clock.sleep(when * MAX_START_MS);
  const sizeOf = () => statSync(records).size;
  // A record is somewhat over a hundred bytes.
  const until = sizeOf() + when * MAX_REQUESTS * 110;
  while (!client.over && sizeOf() < until) await clock.sleep(LOOK_MS);
}

function startPlatform({ folder, seed, speed }: CrashSettings, records: string, port: number): Child {
  const args = ['--scenario', 'crash.yaml', '--records', records, '--seed', String(seed)];
  return new Child([PLATFORM, ...args, '--speed', String(speed), '--port', String(port)], folder);
}

function startClient({ folder, speed, seed }: CrashSettings, state: string, origin: string): Child {
  const args = ['task', 'crash.yaml', '--target', origin, '--state', state, '--sync', 'normal', '--json'];
  return new Child([STORM, ...args, '--speed', String(speed), '--seed', String(seed)], folder);
}
