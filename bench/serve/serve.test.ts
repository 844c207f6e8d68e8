// `storm serve` as a process: two clients of ours and one in Python on one quota, endings, mistakes, and a folder that verify
// takes and finds every change in.

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { listen } from '../../platform-sim/http-server.ts';
import { digest, filesBelow, MANIFEST } from '../results-folder/manifest.ts';
import { loadScenario } from '../scenario/load.ts';
import { changedPreset, ROOT, storm, temporaryFolder } from '../testing.ts';
import { verifyFolder } from '../verify/verify-folder.ts';
import { driveServed } from './drive-served.ts';
import { type ServedProcess, startServed } from './served-process.ts';
import { ask, control } from './testing.ts';

const SPEED = 100;
const FAST = ['--profile', 'small.yaml', '--speed', String(SPEED), '--out', 'r'];

/** A folder with a small scenario in it, and the platform at work there. */
async function start(
  t: TestContext,
  changes: Readonly<Record<string, unknown>> = {},
  options: readonly string[] = FAST,
): Promise<{ cwd: string; served: ServedProcess }> {
  const cwd = temporaryFolder(t);
  const few = { 'task.items': 120, 'platform.gates.2.calls': 300, ...changes };
  writeFileSync(join(cwd, 'small.yaml'), changedPreset('shared-quota', few));
  const served = await startServed(options, cwd);
  t.after(() => served.kill());
  return { cwd, served };
}

const summaryIn = (cwd: string) => JSON.parse(readFileSync(join(cwd, 'r', 'summary.json'), 'utf8'));

test('a naive and a guarded client on one quota: both books of each agree, and the folder balances', async (t) => {
  const { cwd, served } = await start(t);
  const { scenario } = loadScenario(join(cwd, 'small.yaml'));
  const { origin, token } = served;
  const [naive, guarded] = await Promise.all(
    ['naive', 'guarded'].map((strategy) => driveServed({ scenario, strategy, seed: 1, origin, speed: SPEED })),
  );
  assert.ok(naive && guarded);
  const { code, stdout, stderr } = await served.stop();
  assert.equal(code, 0, stderr);
  assert.match(stdout, /books balance/);
  const { platform, clients, facts } = summaryIn(cwd);
  for (const task of [naive, guarded]) {
    const { client, calls } = clients.find((each: { client: string }) => each.client === task.settings.client);
    assert.equal(calls.total, task.tally.attempts, client);
    const { ok, quota429, error500, limit429, no_reply } = task.tally.totals();
    assert.deepEqual([calls.ok, calls.quota_rejected, calls.error500], [ok, quota429, error500], client);
    assert.deepEqual([calls.edge_rejected + calls.soft_limited, calls.unheard], [limit429, no_reply], client);
    assert.equal(facts.clients[client].done, task.done.size, client);
  }
  assert.equal(clients[0].calls.total + clients[1].calls.total, platform.calls.total);
  assert.ok(platform.calls.billed <= 300);
  assert.equal(facts.clients.guarded.early_retries, 0, 'guarded obeys every wait');
  assert.ok(guarded.tally.count('quota429') <= 8, 'and stops when the quota is gone');
  for (const file of filesBelow(join(cwd, 'r')))
    assert.ok(!readFileSync(join(cwd, 'r', file), 'utf8').includes(token), file);
  assert.ok(!`${stdout}${stderr}`.includes(token), 'a token that was given is not shown');
  assert.deepEqual((await verifyFolder(join(cwd, 'r'))).problems, []);
  const explained = storm(cwd, 'explain', 'r', '--item', '1');
  assert.equal(explained.code, 2);
  assert.match(explained.stderr, /keeps no requests/);
  await everyChangeIsFound(cwd);
});

/** One count more anywhere, digests made to fit. */
async function everyChangeIsFound(cwd: string): Promise<void> {
  const copy = join(cwd, 'copy');
  for (const file of filesBelow(join(cwd, 'r')).filter((name) => name.endsWith('.csv') || name === 'summary.json')) {
    cpSync(join(cwd, 'r'), copy, { recursive: true });
    const path = join(copy, file);
    const text = readFileSync(path, 'utf8');
    const pattern = file === 'summary.json' ? /("billed": )([0-9]+)/ : /(\n(?:night,[^,]*,)?)([0-9]+)/;
    const changed = text.replace(pattern, (_, before: string, count: string) => `${before}${Number(count) + 1}`);
    assert.notEqual(changed, text, file);
    writeFileSync(path, changed);
    const manifest = JSON.parse(readFileSync(join(copy, MANIFEST), 'utf8'));
    manifest.sha256[file] = digest(path);
    writeFileSync(join(copy, MANIFEST), JSON.stringify(manifest));
    assert.ok((await verifyFolder(copy)).problemCount > 0, file);
    rmSync(copy, { recursive: true });
  }
}

test('a client in Python: what it counted is what the platform counted, and only the impatient one is early', async (t) => {
  const python = spawnSync('python3', ['--version']);
  if (python.error !== undefined) {
    t.skip('there is no python3 on this machine');
    return;
  }
  const { cwd, served } = await start(t, { 'platform.gates.1.rate': 0.4, 'platform.gates.2.calls': 25 });
  const client = (...options: string[]) => {
    const args = [join(ROOT, 'docs/examples/client.py'), served.origin, '--speed', String(SPEED), ...options];
    const { stdout, stderr } = spawnSync('python3', args, { encoding: 'utf8' });
    assert.notEqual(stdout, '', stderr);
    return JSON.parse(stdout) as Record<string, number>;
  };
  const patient = client('--items', '12');
  const impatient = client('--items', '30', '--name', 'impatient', '--impatient');
  assert.equal((await served.stop()).code, 0);
  const { clients, facts } = summaryIn(cwd);
  for (const [index, counts] of [patient, impatient].entries()) {
    const { client: name, calls } = clients[index];
    assert.equal(calls.total, counts.calls, name);
    assert.deepEqual([calls.ok, calls.error500], [counts['200'] ?? 0, counts['500'] ?? 0], name);
    assert.equal(calls.edge_rejected + calls.soft_limited + calls.quota_rejected, counts['429'], name);
    assert.equal(facts.clients[name].done, counts.done, name);
  }
  assert.equal(facts.clients.python.early_retries, 0);
  assert.ok(facts.clients.impatient.early_retries > 0);
  assert.equal((await verifyFolder(join(cwd, 'r'))).problemCount, 0);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal}: the results are written, and the exit code says that it was interrupted`, async (t) => {
    const { cwd, served } = await start(t);
    await ask(served.origin, '/v1/items/1');
    served.child.kill(signal);
    const { code, stderr } = await served.ended();
    assert.equal(code, 130, stderr);
    assert.equal(summaryIn(cwd).platform.calls.total, 1);
    assert.equal((await verifyFolder(join(cwd, 'r'))).problemCount, 0);
  });
}

test('a second signal ends at once and leaves nothing half-written', async (t) => {
  const endless = { 'platform.latency_ms': [3_600_000, 3_600_000], 'platform.gates.1.rate': 0 };
  const { cwd, served } = await start(t, endless, ['--profile', 'small.yaml', '--out', 'r']);
  const under = ask(served.origin, '/v1/items/1').catch((error: Error) => error);
  while (!(await ask(served.origin, '/metrics')).body.includes('storm_replies_in_flight 1'));
  served.child.kill('SIGINT');
  // When it takes no connections any more, the first signal has been heard.
  while (!((await ask(served.origin, '/metrics').catch(() => undefined)) === undefined));
  served.child.kill('SIGINT');
  assert.equal((await served.ended()).code, 130);
  await under;
  assert.deepEqual(readdirSync(cwd), ['small.yaml']);
});

test('without a token of the environment one is made, told on stderr alone, and it opens the control', async (t) => {
  const cwd = temporaryFolder(t);
  const env: NodeJS.ProcessEnv = { ...process.env };
  delete env.STORM_TOKEN;
  const child = spawn(process.execPath, [join(ROOT, 'scripts/storm.mjs'), 'serve', '--out', 'r'], { cwd, env });
  t.after(() => child.kill('SIGKILL'));
  const ended = once(child, 'close');
  let stdout = '';
  let stderr = '';
  const told = new Promise<string>((resolve) => {
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += String(chunk);
      const [, token] = /^control token: (\S+)$/m.exec(stderr) ?? [];
      if (token !== undefined) resolve(token);
    });
  });
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += String(chunk);
  });
  const token = await told;
  while (!stdout.includes('\n')) await once(child.stdout, 'data');
  const [origin = ''] = stdout.split('\n');
  assert.ok(token.length >= 32);
  assert.equal((await control(origin, 'ledger', 'GET', token)).status, 200);
  assert.equal((await control(origin, 'stop', 'POST', token)).status, 200);
  assert.deepEqual(await ended, [0, null]);
  assert.ok(!stdout.includes(token));
  for (const file of filesBelow(join(cwd, 'r'))) assert.ok(!readFileSync(join(cwd, 'r', file)).includes(token), file);
  assert.equal((await verifyFolder(join(cwd, 'r'))).problemCount, 0, 'nobody came, and that is a book too');
});

test('mistakes are one line, and nothing is written', async (t) => {
  const cwd = temporaryFolder(t);
  const taken = createServer();
  await listen(taken, 0, '127.0.0.1');
  t.after(() => taken.close());
  const { port } = taken.address() as AddressInfo;
  const mistakes: readonly (readonly [options: readonly string[], RegExp])[] = [
    [['--host', '0.0.0.0'], /--host: got "0.0.0.0"; allowed: a loopback address, or any address with --expose/],
    [['--host', 'localhost', '--host', '127.0.0.1'], /--host: got .*; allowed: the option once/],
    [['--port', String(port)], /--port: got [0-9]+; allowed: a port that can be had, or 0 for a free one .*EADDRINUSE/],
    [['--speed', '0'], /--speed/],
  ];
  for (const [options, message] of mistakes) {
    const { code, stdout, stderr } = storm(cwd, 'serve', ...options);
    assert.equal(code, 2, `${options.join(' ')}: ${stderr}`);
    assert.match(stderr, message);
    assert.equal(stderr.trim().split('\n').length, 1, stderr);
    assert.equal(stdout, '');
  }
  process.env.STORM_TOKEN = 'zq7mark';
  const { code, stderr } = storm(cwd, 'serve');
  delete process.env.STORM_TOKEN;
  assert.equal(code, 2);
  assert.match(stderr, /^environment: STORM_TOKEN: not usable; allowed: 8 to 200/);
  assert.ok(!stderr.includes('zq7mark'));
  assert.deepEqual(readdirSync(cwd), []);
});
