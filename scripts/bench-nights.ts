// How fast nights are, as ratios measured in one run, since a machine's own speed says nothing about ours:
//   npm run bench:nights
// Rounds of the two sides of a ratio alternate, and on each side the fastest counts, since whatever else the machine does only
// ever adds time.

import { spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { median } from 'simple-statistics';
import { Pool } from 'undici';
import { platformTotals } from '../bench/books/summary.ts';
import { type Night, runNight } from '../bench/night.ts';
import { NightPool } from '../bench/run/night-pool.ts';
import { loadScenario } from '../bench/scenario/load.ts';
import { bareNaiveNight } from '../bench/yardstick/bare-naive-night.ts';

const { scenario } = loadScenario('storm-night');
const SEED = 5;
const CONCURRENCY = 12;

const BARE = {
  items: scenario.task.items,
  startMs: scenario.task.clientStartMs,
  prepMs: scenario.task.prepMs,
  concurrency: CONCURRENCY,
  batchSize: 50,
  attempts: 2,
  maxPasses: 4,
  pauseAfterPassMs: 100,
};

/** Milliseconds of wall time that `work` takes. */
async function timed(work: () => unknown): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

const naive = (clock: 'virtual' | 'lockstep'): Promise<Night> =>
  runNight({ scenario, strategy: 'naive', seed: SEED, clock });

function say(what: string, value: string, wanted = ''): void {
  process.stdout.write(`${what.padEnd(62)}${value.padStart(12)}  ${wanted}\n`);
}

const verdict = (met: boolean, wanted: string): string => `${met ? 'met' : 'NOT MET'} (wanted: ${wanted})`;

async function virtualAgainstBare(): Promise<void> {
  const bare: number[] = [];
  const real: number[] = [];
  for (let round = 0; round < 45; round++) {
    bare.push(await timed(() => bareNaiveNight(scenario.profile, BARE, SEED)));
    real.push(await timed(() => naive('virtual')));
  }
  const ratio = Math.min(...real) / Math.min(...bare);
  const night = await naive('virtual');
  const requests = platformTotals(night).total;
  const seconds = Math.min(...real) / 1000;
  say('naive night, bare event loop', `${Math.min(...bare).toFixed(1)} ms`);
  say('naive night, asynchronous client on the virtual clock', `${(seconds * 1000).toFixed(1)} ms`);
  say('  ratio', ratio.toFixed(2), verdict(ratio <= 4, 'at most 4; reach for 2'));
  say('  events a second', Math.round((2 * requests) / seconds).toLocaleString('en-US'));
  say('  simulated over real time', Math.round(night.endedMs / 1000 / seconds).toLocaleString('en-US'));
}

async function nightsPerSecond(workers: number, strategy: string, nights: number): Promise<number> {
  const pool = new NightPool(workers);
  const drain = async (count: number) => {
    for await (const night of pool.series({ scenario, strategy, clock: 'virtual', firstSeed: 1, nights: count }))
      void night;
  };
  await drain(20 * workers);
  const ms = await timed(() => drain(nights));
  await pool.close();
  return (nights / ms) * 1000;
}

async function workers(): Promise<void> {
  // Rounds of seconds, through which the machine's own speed drifts: here the median of the paired ratios counts.
  const ratios: number[] = [];
  for (let round = 0; round < 7; round++) {
    const one = await nightsPerSecond(1, 'naive', 60);
    ratios.push((await nightsPerSecond(2, 'naive', 120)) / one);
  }
  const ratio = median(ratios);
  say('two workers over one, nights a second', ratio.toFixed(2), verdict(ratio >= 1.8, 'at least 1.8'));
  const all = availableParallelism();
  const pairs = 1 / (1 / (await nightsPerSecond(all, 'naive', 300)) + 1 / (await nightsPerSecond(all, 'guarded', 300)));
  say(`pairs of nights a second, ${all} workers`, pairs.toFixed(1));
  say('  a thousand pairs', `${(1000 / pairs).toFixed(0)} s`, verdict(1000 / pairs < 60, 'well under a minute'));
}

/** Peak resident memory of a process of its own that runs so many nights, in MB. */
function peakMemoryMb(nights: number): number {
  const { stdout } = spawnSync(process.execPath, [fileURLToPath(import.meta.url), '--memory', String(nights)], {
    encoding: 'utf8',
  });
  return Number(stdout);
}

async function reportMemory(nights: number): Promise<void> {
  await nightsPerSecond(2, 'guarded', nights);
  process.stdout.write(String(process.resourceUsage().maxRSS / 1024));
}

function memory(): void {
  const few = peakMemoryMb(100);
  const many = peakMemoryMb(2000);
  say('peak memory, 100 nights', `${few.toFixed(0)} MB`);
  say('peak memory, 2,000 nights', `${many.toFixed(0)} MB`);
  say('  ratio', (many / few).toFixed(2), verdict(many / few <= 1.1, 'at most 1.1'));
}

/** Requests a second of a plain undici pool against a plain node:http server, in this one thread. */
async function plainHttp(requests: number): Promise<number> {
  const body = '{"data":"ok"}';
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length });
    response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const pool = new Pool(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, {
    connections: CONCURRENCY,
    pipelining: 1,
  });
  let left = requests;
  const lane = async () => {
    while (left-- > 0) await (await pool.request({ method: 'GET', path: '/v1/items/1' })).body.text();
  };
  const ms = await timed(() => Promise.all(Array.from({ length: CONCURRENCY }, lane)));
  await pool.close();
  server.closeAllConnections();
  server.close();
  return (requests / ms) * 1000;
}

async function lockstepAgainstPlain(): Promise<void> {
  const requests = platformTotals(await naive('virtual')).total;
  let plain = 0;
  let lockstep = 0;
  await plainHttp(5000);
  for (let round = 0; round < 5; round++) {
    plain = Math.max(plain, await plainHttp(requests));
    lockstep = Math.max(lockstep, (requests / (await timed(() => naive('lockstep')))) * 1000);
  }
  const ratio = lockstep / plain;
  const night = await naive('virtual');
  say('lockstep, requests a second', Math.round(lockstep).toLocaleString('en-US'));
  say('  over a plain undici pool and node:http, one thread', ratio.toFixed(2), verdict(ratio >= 0.6, 'at least 0.6'));
  say('  simulated over real time', Math.round((night.endedMs / 1000) * (lockstep / requests)).toLocaleString('en-US'));
}

if (process.argv[2] === '--memory') await reportMemory(Number(process.argv[3]));
else {
  await virtualAgainstBare();
  await lockstepAgainstPlain();
  await workers();
  memory();
}
