// The probe over real HTTP to a server of the test's own: its budget is exact, its body check is no retry, its secrets stay out
// of sight, and no other host is called without leave.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { ROOT } from '../testing.ts';

interface Endpoint {
  readonly url: string;
  readonly requests: { readonly method: string; readonly authorization: string | undefined }[];
}

/** Answers with the given statuses, one after the other and then the last one again. */
async function endpoint(
  t: TestContext,
  replies: readonly (readonly [status: number, body: string])[],
): Promise<Endpoint> {
  const requests: { method: string; authorization: string | undefined }[] = [];
  const server = createServer((request, response) => {
    const [status = 200, body = ''] = replies[Math.min(requests.length, replies.length - 1)] ?? [];
    requests.push({ method: request.method ?? '', authorization: request.headers.authorization });
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1?x=1`, requests };
}

/** Not spawnSync: the endpoint lives in this process. */
async function probe(...args: string[]): Promise<{ code: number | null; output: string }> {
  const env = { ...process.env, NO_COLOR: '1', PROBE_SECRET: 'Bearer swordfish' };
  const child = spawn(process.execPath, [join(ROOT, 'scripts/storm.mjs'), 'probe', ...args], { env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, output };
}

test('the budget is exact: as many calls as named reach the endpoint, and the report says so', async (t) => {
  const { url, requests } = await endpoint(t, [[503, '{}']]);
  const { code, output } = await probe('--target', url, '--calls', '5', '--rate', '100', '--strategy', 'exponential');
  assert.equal(code, 0, output);
  assert.equal(requests.length, 5);
  assert.match(output, /^calls +5 /m);
  assert.match(output, /budget_exceeded/);
});

test('every request is listed with attempts, their latencies and its final status; beyond twenty they are summed', async (t) => {
  const failing = await endpoint(t, [
    [503, '{}'],
    [503, '{}'],
    [200, '{}'],
  ]);
  const naive = ['--rate', '100', '--strategy', 'naive'];
  const one = await probe('--target', failing.url, '--calls', '9', '--requests', '1', ...naive);
  assert.match(one.output, /^request +attempts +latency an attempt, ms +final status +simulated attempts /m);
  assert.match(one.output, /^1 +2 +[0-9]+, [0-9]+ +503, attempts_exhausted +1 +203 +200$/m, one.output);
  assert.match(one.output, /^1, pass 2 +1 +[0-9]+ +200$/m);

  const { url } = await endpoint(t, [[200, '{}']]);
  const { output } = await probe('--target', url, '--calls', '60', '--requests', '23', '--rate', '100');
  const rows = output.split('\n').filter((text) => /^[0-9]+ +1 +[0-9]+ +200 /.test(text));
  assert.equal(rows.length, 20, output);
  assert.match(output, /^[0-9]+ more +3 +median [0-9.]+ +3 × 200 /m);
});

test('a 200 that is not what was asked is a validation failure and no retry', async (t) => {
  const { url, requests } = await endpoint(t, [
    [200, '<html>'],
    [200, '{"data":"ok"}'],
  ]);
  const { code, output } = await probe(
    '--target',
    url,
    '--calls',
    '6',
    '--rate',
    '100',
    '--requests',
    '2',
    '--expect',
    '"ok"',
  );
  assert.equal(code, 0, output);
  assert.equal(requests.length, 2);
  assert.match(output, /1 validation_failed, 200; 1 done, 200/);
});

test('429s that name no limit and tell no wait are counted apart', async (t) => {
  const { url } = await endpoint(t, [
    [429, '{}'],
    [200, '{}'],
  ]);
  const { code, output } = await probe('--target', url, '--calls', '6', '--rate', '100', '--requests', '2');
  assert.equal(code, 0, output);
  assert.match(output, /^429 of an unnamed limit +1 +0$/m);
});

test('a secret is sent from the environment and shown nowhere, nor is the query of the URL', async (t) => {
  const { url, requests } = await endpoint(t, [[200, '{}']]);
  const { code, output } = await probe('--target', url, '--calls', '1', '--header-env', 'Authorization=PROBE_SECRET');
  assert.equal(code, 0, output);
  assert.deepEqual(requests, [{ method: 'GET', authorization: 'Bearer swordfish' }]);
  assert.ok(!output.includes('swordfish') && !output.includes('x=1'), output);
});

test('an endpoint that never answers is told with the reason, and the code says so', async () => {
  const { code, output } = await probe('--target', 'http://127.0.0.1:9/', '--calls', '2', '--rate', '100');
  assert.equal(code, 4, output);
  assert.match(output, /attempts without a reply: ECONNREFUSED/);
  assert.match(output, /no call got a reply/);
});

test('no other host without leave, no budget no probe, no password in a URL', async () => {
  for (const [args, says] of [
    [['--target', 'http://192.0.2.1/', '--calls', '3'], /--target: got "192\.0\.2\.1"; allowed: a loopback host/],
    [['--target', 'http://localhost.example/', '--calls', '3'], /allowed: a loopback host/],
    [['--target', 'http://127.0.0.1:1/'], /calls/],
    [['--target', 'http://u:swordfish@127.0.0.1:1/', '--calls', '3'], /holds a password/],
    [['--target', 'ftp://127.0.0.1/', '--calls', '3'], /an http or https URL/],
    [['--target', 'http://127.0.0.1:1/', '--calls', '0'], /--calls: got 0/],
    [['--target', 'http://127.0.0.1:1/', '--calls', '3', '--rate', '0'], /--rate: got 0/],
    [['--target', 'http://127.0.0.1:1/', '--calls', '3', '--strategy', 'brave'], /--strategy: got "brave"/],
    [['--target', 'http://127.0.0.1:1/', '--calls', '3', '--expect', '('], /--expect: got "\("/],
    [
      ['--target', 'http://127.0.0.1:1/', '--calls', '3', '--header-env', 'a=NOT_SET_ANYWHERE'],
      /a variable that is set/,
    ],
  ] as const) {
    const { code, output } = await probe(...args);
    assert.equal(code, 2, output);
    assert.match(output, says);
    assert.ok(!output.includes('swordfish'));
    assert.equal(output.trimEnd().split('\n').length, 1, output);
  }
});
