// Whole programs on simulated time: the figures of a driven job are those of the same job as a module, and whatever way a
// program ends, its books balance or the reason is named.

import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { discrepancies } from '../books/reconcile.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { smallStorm, temporaryFolder } from '../testing.ts';
import { type Driven, type DriveOptions, drive } from './drive.ts';
import { runInWorker } from './in-worker.ts';
import { scriptedStorm, specOf, testdata } from './testing.ts';

interface DrivenFiles extends Driven {
  /** Text of requests.csv. */
  readonly requests: string;
}

async function driven(
  t: TestContext,
  command: readonly string[],
  { scenario = smallStorm(), ...changes }: Partial<DriveOptions> = {},
): Promise<DrivenFiles> {
  const scratch = temporaryFolder(t);
  const folder = join(scratch, 'books');
  const settings = { scenario, seed: 1, client: 'job', hosts: [], urlVariable: 'STORM_URL', maxCalls: 5000 };
  const ran = await drive({ ...settings, folder, scratch, patienceMs: 60_000, command, ...changes });
  assert.deepEqual([discrepancies(ran.night.night), ran.night.unmatched], [[], 0], command.join(' '));
  return { ...ran, requests: readFileSync(join(folder, 'requests.csv'), 'utf8') };
}

const job = (...args: readonly string[]) => [process.execPath, testdata('job.mjs'), ...args];

const ITEMS = 60;

for (const name of ['fetch', 'axios', 'undici']) {
  test(`a job with ${name}: the figures are those of the same job as a client module`, async (t) => {
    const scenario: Scenario = smallStorm({ 'task.items': ITEMS });
    const [program, module] = await Promise.all([
      driven(t, job(name, String(ITEMS)), { scenario }),
      runInWorker(specOf(`job-module.mjs?${name}`, { scenario, client: 'job' })),
    ]);
    assert.equal(program.exit, 0);
    assert.equal(JSON.stringify(program.night), JSON.stringify(module));
    assert.ok(module.night.items.done > ITEMS / 2);
    assert.ok(module.night.client.minutes.reduce((sum, { attempts }) => sum + attempts, 0) > ITEMS * 1.2);
    const other = await driven(t, job(name, String(ITEMS)), { scenario, seed: 2 });
    assert.notDeepEqual(other.night.night.platform, program.night.night.platform);
  });
}

test('a job that never ends is stopped at the limit of simulated time, with its books', async (t) => {
  const scenario = smallStorm({ 'limits.scenario_time_s': 100 });
  const { night, exit } = await driven(t, job('never ends'), { scenario });
  const { stopReason, startedMs, endedMs } = night.night;
  assert.deepEqual([exit, stopReason, startedMs, endedMs], [0, 'time_limit', 5000, 100_000]);
  assert.equal(
    night.night.platform.minutes.reduce((sum, { total }) => sum + total, 0),
    95,
  );
});

test('a job that never ends is stopped at its limit of calls', async (t) => {
  const { night, exit } = await driven(t, job('never ends'), { maxCalls: 7 });
  assert.deepEqual([exit, night.night.stopReason], [0, 'call_limit']);
  assert.equal(
    night.night.platform.minutes.reduce((sum, { total }) => sum + total, 0),
    7,
  );
});

test('a job that exits in the middle: what it has sent is in both books, and nobody heard the replies', async (t) => {
  const { night, exit, requests } = await driven(t, job('exits in the middle'), { scenario: scriptedStorm([]) });
  assert.equal(exit, 3);
  const rows = requests.trimEnd().split('\n').slice(1);
  assert.deepEqual(
    rows.map((row) => row.split(',').at(-1)),
    ['matched', 'unheard', 'unheard', 'unheard', 'unheard', 'unheard'],
  );
  assert.deepEqual(night.endings, { success: 1, unknown: 5 });
});

test('a job that throws ends with its own exit code, and its books are there', async (t) => {
  const { night, exit } = await driven(t, job('throws'), { scenario: scriptedStorm([]) });
  assert.deepEqual([exit, night.endings], [1, { success: 1, unknown: 1 }]);
});

test('a job in CommonJS: a minute passes for it and not for us', async (t) => {
  const { night } = await driven(t, [process.execPath, testdata('job.cjs')], { scenario: scriptedStorm([]) });
  const { startedMs, endedMs } = night.night;
  assert.deepEqual(night.endings, { success: 2 });
  assert.ok(endedMs - startedMs >= 60_000 + 2 * 150 && endedMs - startedMs <= 60_000 + 2 * 260, String(endedMs));
});

test('names under which a job calls its service already are mapped; an outage may be of one of them', async (t) => {
  const outage = {
    gate: 'outage',
    from_s: 0,
    to_s: 1000,
    retry_after: { form: 'absent' },
    hosts: ['other.example.com'],
  };
  // A scenario knows the hosts that a strategy of it asks.
  const request = { hosts: outage.hosts };
  const gates = {
    'platform.gates': [outage, { gate: 'scripted', replies: [], after: 'ok' }],
    strategies: { any: { extends: 'guarded', request } },
  };
  const { night, requests } = await driven(t, job('under its own name'), {
    scenario: scriptedStorm([], gates),
    hosts: ['api.EXAMPLE.com:8080', 'api.example.com', 'other.example.com'],
  });
  assert.deepEqual(night.endings, { success: 2, failure: 1 });
  assert.match(requests, /,503,error503,/);
});

const FAULTS: readonly (readonly [string, Partial<DriveOptions>, RegExp])[] = [
  ['under a name that was not told', {}, /^socket_elsewhere: the client connects to unknown\.example\.com:80/],
  ['under its own name', { hosts: ['api.example.com:8080'] }, /^socket_elsewhere: .* api\.example\.com:80$/],
  ['endless loop', { patienceMs: 3000 }, /^unresponsive: the program did not end in 3 s of real time/],
];

for (const [name, changes, message] of FAULTS) {
  test(`a job, ${name}: a fault with a name`, async (t) => {
    await assert.rejects(driven(t, job(name), changes), { name: 'ForeignError', message });
  });
}

test('what node would load before us is refused; a module that the user preloads comes after', async (t) => {
  const [node = '', ...args] = job('has kept a timer of the machine');
  const command = [node, '--require', testdata('keep-timer.cjs'), ...args];
  await assert.rejects(driven(t, command), {
    name: 'InputError',
    message: /got "--require"; allowed: a program without -r or --require/,
  });
  // Preloaded as a module it comes after ours, and the timer that it takes is simulated.
  const later = [node, '--import', testdata('keep-timer.cjs'), ...args];
  assert.equal((await driven(t, later)).night.night.stopReason, 'time_limit');
});

test("what is no Node program, or can not be started, is a mistake of the user's", async (t) => {
  const missing = driven(t, [join(temporaryFolder(t), 'nothing')]);
  await assert.rejects(missing, {
    name: 'InputError',
    message: /: --: got .*a program that can be started \(ENOENT\)$/,
  });
  const foreign = driven(t, ['true']);
  await assert.rejects(foreign, {
    name: 'InputError',
    message: /started by node itself \(it ended with 0 and left no books\)$/,
  });
});

test('settings and result stay in the scratch folder, and no books are made of a fault', async (t) => {
  const scratch = temporaryFolder(t);
  await assert.rejects(driven(t, job('under a name that was not told'), { scratch }));
  assert.ok(existsSync(join(scratch, 'settings.json')) && existsSync(join(scratch, 'result.json')));
});
