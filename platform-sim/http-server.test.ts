// Holds the adapter over real HTTP: the same verdicts as in process, 404 for what is no request, loopback only.

import assert from 'node:assert/strict';
import { type IncomingHttpHeaders, request } from 'node:http';
import { connect } from 'node:net';
import test, { type TestContext } from 'node:test';
import type { ReplySchedule } from './http-answer.ts';
import { type HttpPlatform, serveHttp } from './http-server.ts';
import type { Scheduler, VerdictObserver } from './in-process.ts';
import { Platform } from './platform.ts';
import type { GateSettings, PlatformProfile } from './profile.ts';
import { ReplyEncoder } from './wire.ts';

const limits = (form: 'seconds' | 'http-date'): GateSettings[] => [
  { gate: 'edge_token_bucket', refillPerS: 1, burst: 8, retryAfter: { form } },
  { gate: 'soft_limit', rate: 0.3, retryAfter: { form, valueS: 2 } },
  { gate: 'monthly_quota', calls: 4, retryAfter: { form: 'absent' } },
  { gate: 'billing' },
  { gate: 'fault', rate: 0.5 },
];
const profile = (gates: readonly GateSettings[]): PlatformProfile => ({
  epochMs: Date.UTC(2026, 9, 16, 2, 0, 0),
  latencyMs: [150, 250],
  rejectionLatencyMs: [10, 30],
  overheadMs: 2,
  gates,
});

/** Waits for a turn of the event loop instead of for time. */
class ImmediateScheduler implements Scheduler {
  readonly delaysMs: number[] = [];
  nowMs(): number {
    return 700;
  }
  schedule<T>(delayMs: number, run: (argument: T) => void, argument: T): void {
    this.delaysMs.push(delayMs);
    setImmediate(run, argument);
  }
}

interface Got {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

function get(origin: string, path: string, headers: Record<string, string>): Promise<Got> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (text: string) => {
        body += text;
      });
      response.on('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
      response.on('error', reject);
    });
    sent.on('error', reject).end();
  });
}
const item = (origin: string, number: number, ordinal: number) =>
  get(origin, `/v1/items/${number}`, { 'X-Request-Id': `naive-${ordinal}` });

function connects(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    socket.on('error', () => resolve(false));
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

async function serve(t: TestContext, gates: readonly GateSettings[], scheduler: Scheduler = new ImmediateScheduler()) {
  const platform = new Platform(profile(gates), 3);
  const events: string[] = [];
  const schedule: ReplySchedule = {
    nowMs: () => scheduler.nowMs(),
    reply: (delayMs, send) => {
      scheduler.schedule(delayMs, send, undefined);
      events.push('decided');
    },
  };
  const observe: VerdictObserver = (client, ordinal, nowMs, { verdictClass }) =>
    events.push(`${client} ${ordinal} ${nowMs} ${verdictClass}`);
  const server: HttpPlatform = await serveHttp(platform, schedule, observe);
  t.after(() => server.close());
  return { platform, events, server, origin: server.origin };
}

for (const form of ['seconds', 'http-date'] as const) {
  test(`status, headers and body are those of the verdict (Retry-After: ${form})`, async (t) => {
    const scheduler = new ImmediateScheduler();
    const { origin } = await serve(t, limits(form), scheduler);
    const twin = new Platform(profile(limits(form)), 3);
    const delaysMs: number[] = [];
    const kinds = new Set<string>();
    for (let i = 0; i < 12; i++) {
      const { status, headers, body } = await item(origin, i, i + 1);
      const verdict = twin.decide({ client: 'naive', item: i }, 700);
      const expected = new ReplyEncoder().encode(verdict);
      delaysMs.push(verdict.latencyMs);
      kinds.add(verdict.verdictClass);
      assert.deepEqual([status, body], [expected.status, expected.body]);
      for (const name of ['content-type', 'x-limit-kind', 'retry-after']) {
        assert.equal(headers[name], expected.headers[name], name);
      }
      assert.equal(headers['content-length'], `${Buffer.byteLength(body)}`);
    }
    assert.deepEqual([...kinds].sort(), ['edge', 'error500', 'ok', 'quota', 'soft'], 'the traffic meets all kinds');
    assert.deepEqual(scheduler.delaysMs, delaysMs);
  });
}

test('the observer is told of each verdict, then the watch that its reply is in the schedule', async (t) => {
  const immediate = new ImmediateScheduler();
  const scheduler: Scheduler = {
    nowMs: () => immediate.nowMs(),
    schedule: (delayMs, run, argument) => {
      events.push('scheduled');
      immediate.schedule(delayMs, run, argument);
    },
  };
  const { events, origin } = await serve(t, [], scheduler);
  await item(origin, 0, 1);
  await item(origin, 0, 2);
  assert.deepEqual(events, ['naive 1 700 ok', 'scheduled', 'decided', 'naive 2 700 ok', 'scheduled', 'decided']);
});

test('a request is of the host that its Host header names, and of the platform when that is an address', async (t) => {
  const down = (host: string): GateSettings => ({
    gate: 'outage',
    fromMs: 0,
    toMs: 1000,
    retryAfter: { form: 'absent' },
    hosts: [host],
  });
  for (const [gate, statuses] of [
    [down('a.example'), [503, 200, 200]],
    [down('platform'), [200, 200, 503]],
  ] as const) {
    const { origin } = await serve(t, [gate]);
    const got: unknown[] = [];
    for (const named of [{ Host: 'a.example' }, { Host: 'b.example' }, {}]) {
      const { status } = await get(origin, '/v1/items/1', { 'X-Request-Id': 'naive-1', ...named });
      got.push(status);
    }
    assert.deepEqual(got, statuses);
  }
});

test('an unknown path, or no readable request id, is 404 and no request of the platform', async (t) => {
  const { events, platform, origin } = await serve(t, []);
  const id = { 'x-request-id': 'naive-1' };
  const asked: readonly (readonly [path: string, headers: Record<string, string>])[] = [
    ['/', id],
    ['/v1/items/', id],
    ['/v1/items/01', id],
    ['/v1/items/1?x=1', id],
    ['/v1/items/1000000000', id],
    ['/v1/items/1', {}],
    ['/v1/items/1', { 'x-request-id': '' }],
    ['/v1/items/1', { 'x-request-id': 'naive' }],
    ['/v1/items/1', { 'x-request-id': 'naive-1, naive-2' }],
  ];
  for (const [path, headers] of asked) {
    const { status, body } = await get(origin, path, headers);
    assert.deepEqual([status, body], [404, ''], `${path} ${JSON.stringify(headers)}`);
  }
  assert.deepEqual([events, platform.meter.rows()], [[], []]);
  assert.equal((await item(origin, 1, 1)).status, 200, 'and the server lives on');
});

test('listens on 127.0.0.1 only, on a port of its own', async (t) => {
  const { origin } = await serve(t, []);
  const other = await serve(t, []);
  assert.match(origin, /^http:\/\/127\.0\.0\.1:[1-9][0-9]*$/);
  assert.notEqual(origin, other.origin);
  const port = Number(new URL(origin).port);
  assert.equal(await connects('127.0.0.1', port), true);
  assert.equal(await connects('::1', port), false);
  // All of 127/8 is this machine on Linux; a server on 0.0.0.0 would answer there.
  if (process.platform === 'linux') assert.equal(await connects('127.0.0.2', port), false);
});

test('close ends it, a request that still waits for its answer included', async (t) => {
  let decided = () => {};
  const arrived = new Promise<void>((resolve) => {
    decided = resolve;
  });
  const never: Scheduler = { nowMs: () => 0, schedule: () => decided() };
  const { server, origin } = await serve(t, [], never);
  const waiting = item(origin, 0, 1);
  const failed = assert.rejects(waiting, { code: 'ECONNRESET' });
  await arrived;
  await server.close();
  await failed;
  await assert.rejects(item(origin, 0, 2), { code: 'ECONNREFUSED' });
});

test('the calendar on the wire is that of the scenario', async (t) => {
  const { headers } = await item((await serve(t, [])).origin, 0, 1);
  assert.ok(headers.date === undefined || headers.date === 'Fri, 16 Oct 2026 02:00:00 GMT', headers.date);
});

test('a Retry-After with spaces around it reads as in process', async (t) => {
  const gate: GateSettings = { gate: 'soft_limit', rate: 1, retryAfter: { form: 'text', value: ' 5 ' } };
  const { headers } = await item((await serve(t, [gate])).origin, 0, 1);
  const inProcess = new ReplyEncoder().encode(new Platform(profile([gate]), 1).decide({ client: 'naive', item: 0 }, 0));
  assert.equal(headers['retry-after'], inProcess.headers['retry-after']);
});
