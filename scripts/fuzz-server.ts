// A served platform under a hundred thousand hostile requests, in a process of its own: it must not crash, keep memory or sockets,
// and must serve afterwards as before.
//   npm run fuzz -- --requests 100000 --seed 1

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { WallClock } from '../bench/clocks/wall-clock.ts';
import { fuzz } from '../bench/serve/fuzz.ts';
import { startServed } from '../bench/serve/served-process.ts';

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    lanes: { type: 'string', default: '32' },
  },
});
const requests = Number(values.requests);
const seed = Number(values.seed);
const lanes = Number(values.lanes);
/** Looks at memory on the way: what the first half leaves is warm-up, after it memory may grow by this factor. */
const PARTS = 8;
const MAX_GROWTH = 1.1;
/** Real time for all of it. */
const MAX_SECONDS = 1800;

const scratch = mkdtempSync(join(tmpdir(), 'storm-fuzz-'));
const served = await startServed(['--speed', '100', '--out', join(scratch, 'results')]);
const { origin, token } = served;
const say = (text: string) => process.stdout.write(`${text}\n`);

async function metric(name: string): Promise<number> {
  const text = await (await fetch(`${origin}/metrics`, { headers: { connection: 'close' } })).text();
  const [, value] = new RegExp(`^${name} (\\S+)$`, 'm').exec(text) ?? [];
  return Number(value);
}

/** The lowest of a few looks: what the collector has not come to yet is no leak. */
async function memoryMb(): Promise<number> {
  const looks: number[] = [];
  for (let look = 0; look < 5; look++) {
    looks.push((await metric('process_resident_memory_bytes')) / 2 ** 20);
    await new WallClock().sleep(200);
  }
  return Math.min(...looks);
}

/** Open connections but the one that asks, when those that are closing have had their time. */
async function connectionsLeft(): Promise<number> {
  const clock = new WallClock();
  let left = Number.NaN;
  for (let look = 0; look < 50 && left !== 0; look++) {
    left = (await metric('storm_connections')) - 1;
    if (left !== 0) await clock.sleep(200);
  }
  return left;
}

const failures: string[] = [];
try {
  const clock = new WallClock();
  const memory: number[] = [];
  const statuses: Record<string, number> = {};
  for (let part = 0; part < PARTS; part++) {
    const report = await fuzz({ origin, seed: seed + part, exchanges: Math.ceil(requests / PARTS), lanes });
    failures.push(...report.problems);
    for (const [status, count] of Object.entries(report.statuses)) statuses[status] = (statuses[status] ?? 0) + count;
    memory.push(await memoryMb());
    say(`${part + 1} of ${PARTS} parts, ${(clock.nowMs() / 1000).toFixed(0)} s, ${memory.at(-1)?.toFixed(0)} MB`);
  }
  const before = Math.max(...memory.slice(0, PARTS / 2));
  const after = memory.at(-1) ?? Number.NaN;
  const seconds = clock.nowMs() / 1000;
  const left = await connectionsLeft();
  if (left !== 0) failures.push(`${left} connections are left`);
  if (!(after <= before * MAX_GROWTH)) failures.push(`memory grew from ${before.toFixed(0)} to ${after.toFixed(0)} MB`);
  if (seconds > MAX_SECONDS) failures.push(`took ${seconds.toFixed(0)} s`);
  const answer = await fetch(`${origin}/_storm/ledger`, { headers: { authorization: `Bearer ${token}` } });
  const { books } = (await answer.json()) as { books: { balance: boolean } };
  if (!books.balance) failures.push('the books do not balance');
  const call = await fetch(`${origin}/v1/items/1`, { headers: { 'x-client': 'after' } });
  if (![200, 429, 500].includes(call.status)) failures.push(`a call is answered ${call.status}`);
  say(`${requests} hostile exchanges in ${seconds.toFixed(0)} s, ${lanes} at a time`);
  say(`answers by status: ${JSON.stringify(statuses)}`);
  say(
    `memory: ${before.toFixed(0)} MB in the first half, ${after.toFixed(0)} MB at the end; connections left: ${left}`,
  );
  const { code, stderr } = await served.stop();
  if (code !== 0) failures.push(`the server ended with ${code}: ${stderr}`);
} catch (error) {
  failures.push(`the server does not answer: ${String(error)}`);
} finally {
  served.kill();
  rmSync(scratch, { recursive: true, force: true });
}
for (const failure of failures) say(`FAILED: ${failure}`);
say(failures.length === 0 ? 'no crash, no leak, serving as before' : `${failures.length} failures`);
process.exitCode = failures.length === 0 ? 0 : 4;
