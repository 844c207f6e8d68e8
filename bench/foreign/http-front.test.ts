// The platform's server, spoken to in raw HTTP: what arrives at one moment is decided in the order of making, replies wait for
// their time and for those before them, and what nobody waits for is unheard.

import assert from 'node:assert/strict';
import { type Duplex, duplexPair } from 'node:stream';
import test, { type TestContext } from 'node:test';
import { Platform } from '../../platform-sim/platform.ts';
import { VERDICT_CLASSES } from '../../platform-sim/types.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { ForeignClock } from './foreign-clock.ts';
import type { SentRequest } from './http-book.ts';
import { HttpFront } from './http-front.ts';
import { native } from './natives.ts';
import { STILL, scriptedStorm } from './testing.ts';

interface Counter {
  readonly front: HttpFront;
  readonly clock: ForeignClock;
  readonly platform: Platform;
  /** Paths in the order of the decisions, and when. */
  readonly decided: (readonly [path: string, atMs: number, latencyMs: number])[];
  /** Opens a connection; the client's record of its k-th request is `records[k]`. */
  open(...records: readonly (SentRequest | undefined)[]): Line;
}

interface Line {
  readonly socket: Duplex;
  /** Everything that came back. */
  text(): string;
  /** The client is gone; a pair of streams does not pass that on. */
  leave(): void;
}

const turns = async (count = 20) => {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => native.setImmediate(resolve));
};

const record = (made: number): SentRequest => ({
  made,
  ordinal: 0,
  method: 'GET',
  path: '',
  key: 0,
  sentMs: 0,
  replyClass: undefined,
  status: undefined,
  receivedMs: undefined,
});

const LATENCY = { 'platform.latency_ms': [100, 100], 'platform.overhead_ms': 0 };

function counter(t: TestContext, scenario: Scenario = scriptedStorm([], LATENCY)): Counter {
  const clock = new ForeignClock(
    { epochMs: 0, startMs: 0, limitMs: 1e9, quietTurns: 20, patienceMs: 10_000 },
    { ...STILL, settle: () => front.settle() },
  );
  clock.endsWhenIdle = true;
  const platform = new Platform(scenario.profile, 1);
  const decided: [string, number, number][] = [];
  const waiting: (SentRequest | undefined)[][] = [];
  const byPort = new Map<number, (SentRequest | undefined)[]>();
  const front: HttpFront = new HttpFront(
    platform,
    clock,
    (port) => byPort.get(port)?.shift(),
    (_, nowMs, verdict) => decided.push([verdict.verdictClass, nowMs, verdict.latencyMs]),
  );
  clock.start(() => {});
  t.after(() => {
    clock.stop();
    front.close();
  });
  const open = (...records: readonly (SentRequest | undefined)[]): Line => {
    const [socket, server] = duplexPair();
    const port = waiting.push([...records]);
    byPort.set(port, waiting.at(-1) ?? []);
    Object.defineProperty(server, 'remotePort', { value: port });
    let text = '';
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    front.server.emit('connection', server);
    return { socket, text: () => text, leave: () => server.destroy() };
  };
  return { front, clock, platform, decided, open };
}

const get = (path: string, ...headers: readonly string[]) =>
  `${[`GET ${path} HTTP/1.1`, 'Host: 127.0.0.1:1', ...headers].join('\r\n')}\r\n\r\n`;

test('a reply comes at its time, without a date of the machine', async (t) => {
  const { clock, open, front, decided } = counter(t);
  const { socket, text } = open(record(1));
  socket.write(get('/v1/items/1'));
  await turns(400);
  assert.equal(clock.nowMs(), 100);
  assert.match(text(), /^HTTP\/1\.1 200 OK\r\n[\s\S]*\{"data":"ok"\}$/);
  assert.doesNotMatch(text(), /^date:/im);
  assert.deepEqual([front.arrivals, decided], [1, [['ok', 0, 100]]]);
});

test('an SDK is answered in its own shape', async (t) => {
  const { open } = counter(t);
  const { socket, text } = open(record(1));
  socket.write('POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}');
  await turns(400);
  assert.match(text(), /"object":"chat\.completion"/);
});

test('requests of one moment are decided in the order of making, whatever their sockets do', async (t) => {
  // The k-th request that is decided gets the k-th status: all of them ask for the same item.
  const replies = [500, 503, 404, 200].map((status) => ({ status }));
  const { open } = counter(t, scriptedStorm(replies, LATENCY));
  const lines = [open(record(7)), open(record(3)), open(undefined), open(record(5))];
  for (const { socket } of lines) socket.write(get('/v1/items/1'));
  await turns(400);
  const statuses = lines.map(({ text }) => text().slice(9, 12));
  assert.deepEqual(statuses, ['404', '500', '200', '503']);
});

test('replies of one connection come in its order, and the one that waits says how long it took', async (t) => {
  const replies = [{ status: 200 }, { status: 429, retry_after: '1' }];
  const scenario = scriptedStorm(replies, { ...LATENCY, 'platform.rejection_latency_ms': [10, 10] });
  const { decided, open, clock } = counter(t, scenario);
  const { socket, text } = open(record(1), record(2));
  socket.write(get('/v1/items/1') + get('/v1/items/1'));
  await turns(600);
  assert.deepEqual(decided, [
    ['ok', 0, 100],
    ['soft', 0, 100],
  ]);
  assert.match(text(), /^HTTP\/1\.1 200[\s\S]*HTTP\/1\.1 429/);
  assert.equal(clock.nowMs(), 100);
});

const unheard = (platform: Platform): number =>
  platform.meter
    .rows()
    .flatMap((row) => VERDICT_CLASSES.map((name) => row[`unheard_${name}`]))
    .reduce((a, b) => a + b, 0);

test('a request that is broken off has arrived, and its reply is unheard', async (t) => {
  const { front, platform, open } = counter(t);
  const { socket, leave } = open(record(1));
  socket.write('POST /v1/items/1 HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf of it');
  await turns();
  assert.equal(front.arrivals, 0);
  leave();
  await turns(200);
  assert.deepEqual([front.arrivals, unheard(platform)], [1, 1]);
});

test('a client that leaves while it waits, or a night that ends, makes a reply unheard; so does one that gets lost', async (t) => {
  const { front, clock, platform, open, decided } = counter(t, scriptedStorm([{ status: 200, lost: true }], LATENCY));
  const lines = [1, 2, 3].map((made) => open(record(made)));
  for (const [index, { socket }] of lines.entries()) socket.write(get(`/v1/items/${index}`));
  clock.schedule(50, () => {
    lines[0]?.leave();
    native.setImmediate(() => assert.equal(unheard(platform), 1, 'as soon as it has left'));
  });
  await turns(600);
  assert.equal(unheard(platform), 3, 'one left, two were lost');
  const late = open(record(4));
  late.socket.write(get('/v1/items/9'));
  await turns(30);
  front.close();
  assert.equal(unheard(platform), 4);
  assert.equal(decided.length, 4);
});

test('a request that nobody reads any more is decided all the same', (t) => {
  const { front, platform, decided } = counter(t);
  front.arrivesUnheard({ ...record(1), path: '/v1/items/1' });
  assert.deepEqual([decided.length, unheard(platform)], [1, 1]);
});

const HOSTS: readonly (readonly [string, string])[] = [
  ['api.example.com', 'unavailable'],
  ['API.example.com', 'unavailable'],
  ['api.example.com:8080', 'unavailable'],
  ['other.example.com', 'ok'],
  ['127.0.0.1:40123', 'ok'],
  ['localhost:40123', 'ok'],
];

test('the host is what the client calls the platform', async (t) => {
  const down = { gate: 'outage', from_s: 0, to_s: 1000, retry_after: { form: 'absent' }, hosts: ['api.example.com'] };
  const scenario = scriptedStorm([], {
    ...LATENCY,
    'platform.gates': [down, { gate: 'scripted', replies: [], after: 'ok' }],
    strategies: { any: { extends: 'guarded', request: { hosts: ['api.example.com'] } } },
  });
  for (const [host, verdict] of HOSTS) {
    const { open, decided } = counter(t, scenario);
    open(record(1)).socket.write(`GET /v1/items/1 HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    await turns(100);
    assert.deepEqual(
      decided.map(([name]) => name),
      [verdict],
      host,
    );
  }
});
