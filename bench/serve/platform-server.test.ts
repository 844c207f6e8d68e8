// The served platform towards strangers: whatever is no call is refused with a small answer that holds nothing of what was sent,
// is counted by its reason, and leaves the books and the server alone.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import test from 'node:test';
import { MAX_BODY_BYTES, MAX_CLIENTS, MAX_HEADER_BYTES, MAX_IN_FLIGHT, MAX_MINUTES, MAX_PATH_BYTES } from './limits.ts';
import type { PlatformServer } from './platform-server.ts';
import type { Refusal } from './refusals.ts';
import { ask, control, type Got, openConnections, raw, SERENE, serve, TOKEN } from './testing.ts';

const MARK = 'zq7mark';

/** Requests of node's own client: what they are, their status, and the reason they are counted under. */
const REFUSED: readonly (readonly [
  what: string,
  status: number,
  reason: Refusal,
  send: (origin: string) => Promise<Got>,
])[] = [
  ['no token', 401, 'unauthorized', (at) => ask(at, '/_storm/tables')],
  ['a wrong token', 401, 'unauthorized', (at) => control(at, 'stop', 'POST', MARK)],
  ['a token that begins right', 401, 'unauthorized', (at) => control(at, 'stop', 'POST', TOKEN.slice(0, -1))],
  ['an unknown control without the token', 401, 'unauthorized', (at) => ask(at, `/_storm/${MARK}`)],
  ['an unknown control', 404, 'not_found', (at) => control(at, MARK)],
  ['a name of every object', 404, 'not_found', (at) => control(at, 'constructor')],
  ['a path out of the folder', 404, 'not_found', (at) => control(at, '../../etc/passwd')],
  ['a client that leads out of the folder', 404, 'not_found', (at) => control(at, 'tables?client=../../etc')],
  ['control by the wrong method', 405, 'method', (at) => control(at, 'stop', 'GET')],
  [
    'another origin',
    403,
    'cross_origin',
    (at) => ask(at, '/v1/items/1', { headers: { origin: 'http://evil.example' } }),
  ],
  [
    'another origin with the token',
    403,
    'cross_origin',
    (at) => ask(at, '/_storm/stop', { method: 'POST', headers: { origin: 'null', authorization: `Bearer ${TOKEN}` } }),
  ],
  [
    'an image on a page elsewhere',
    403,
    'cross_origin',
    (at) => ask(at, '/v1/items/1', { headers: { 'sec-fetch-site': 'cross-site' } }),
  ],
  ['a method that is none of ours', 405, 'method', (at) => ask(at, '/v1/items/1', { method: 'OPTIONS' })],
  ['a name that is a path', 400, 'client_name', (at) => ask(at, '/v1/items/1', { headers: { 'x-client': '../evil' } })],
  [
    'a name that is too long',
    400,
    'client_name',
    (at) => ask(at, '/v1/items/1', { headers: { 'x-client': 'a'.repeat(65) } }),
  ],
  [
    'a body that says that it is too long',
    413,
    'body_too_large',
    (at) => ask(at, '/v1/items/1', { method: 'POST', headers: { 'content-length': MAX_BODY_BYTES + 1 } }),
  ],
  ['a path that is too long', 414, 'path_too_long', (at) => ask(at, `/${MARK.padEnd(MAX_PATH_BYTES, 'a')}`)],
  ['an expectation', 400, 'malformed', (at) => ask(at, '/v1/items/1', { headers: { expect: MARK } })],
];

const total = ({ round }: PlatformServer): number =>
  round.platform.meter.rows().reduce((sum, row) => sum + row.total, 0);

test('what is no call is refused, counted, and never billed', async (t) => {
  const served = await serve(t);
  for (const [what, status, reason, send] of REFUSED) {
    const before = served.refusals.counts[reason];
    const got = await send(served.origin);
    assert.equal(got.status, status, what);
    assert.equal(served.refusals.counts[reason], before + 1, what);
    assert.equal(JSON.parse(got.body).error.code, reason, what);
    assert.ok(got.body.length < 200 && !got.body.includes(MARK) && !got.body.includes(TOKEN), what);
  }
  assert.equal(total(served), 0);
  assert.equal((await ask(served.origin, '/v1/items/1')).status, 200);
});

const GET = 'GET /v1/items/1 HTTP/1.1\r\nhost: a\r\n';
/** Raw bytes, the status line that comes, and the reason. */
const BYTES: readonly (readonly [bytes: string | Buffer, status: string, reason: Refusal])[] = [
  [`${MARK}\r\n\r\n`, '400', 'malformed'],
  [`GET /${MARK} HTTP/9.9\r\n\r\n`, '400', 'malformed'],
  ['GET /v1/items/1 HTTP/1.1\r\n\r\n', '400', 'malformed'],
  [`${GET}${MARK} no colon\r\n\r\n`, '400', 'malformed'],
  [`${GET}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\n`, '400', 'malformed'],
  [`${GET}content-length: 1\r\ncontent-length: 2\r\n\r\n`, '400', 'malformed'],
  [`${GET}transfer-encoding: chunked\r\n\r\n${MARK}\r\n`, '400', 'malformed'],
  [`${GET}x: ${MARK.padEnd(MAX_HEADER_BYTES, 'a')}\r\n\r\n`, '431', 'headers_too_large'],
  [`CONNECT ${MARK}:443 HTTP/1.1\r\nhost: a\r\n\r\n`, '400', 'malformed'],
  ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', '400', 'malformed'],
  [Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x00]), '400', 'malformed'],
  [
    `POST /v1/items/1 HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n${chunks(MAX_BODY_BYTES + 1)}`,
    '413',
    'body_too_large',
  ],
];

function chunks(bytes: number): string {
  return `${bytes.toString(16)}\r\n${'a'.repeat(bytes)}\r\n0\r\n\r\n`;
}

test('bytes that are no request end in one small answer and a closed connection', async (t) => {
  const served = await serve(t);
  for (const [bytes, status, reason] of BYTES) {
    const what = String(bytes).slice(0, 60);
    const before = served.refusals.counts[reason];
    const text = await raw(served.origin, bytes);
    // A peer that is still sending when it is refused may see the reset before the answer.
    if (text !== '' || status !== '413') assert.match(text, new RegExp(`^HTTP/1.1 ${status} `), what);
    assert.ok(!text.includes(MARK), what);
    assert.equal(served.refusals.counts[reason], before + 1, what);
  }
  assert.equal(total(served), 0);
  assert.equal((await ask(served.origin, '/v1/items/1')).status, 200);
});

test('paths with an item in them are that item, others are things of their own, for every client by itself', async (t) => {
  const served = await serve(t);
  const paths = [
    '/v1/items/7',
    '/api/items/7/details?x=1',
    '/reports',
    '/reports?x=1',
    '/v1/items/99999999999999999999',
  ];
  for (const client of ['one', 'two'])
    for (const path of paths) {
      const got = await ask(served.origin, path, { method: 'POST', body: 'x', headers: { 'x-client': client } });
      assert.equal(got.status, 200, path);
    }
  const proxied = await ask(served.origin, 'http://other.example/reports', { headers: { 'x-client': 'one' } });
  assert.equal(proxied.status, 200, 'who takes us for a proxy');
  for (const client of ['one', 'two']) assert.equal(served.round.clients.get(client)?.done, 4);
  const chat = await ask(served.origin, '/v1/chat/completions', { method: 'POST', body: '{}' });
  assert.equal(JSON.parse(chat.body).object, 'chat.completion');
});

test('more clients than there is room for share a book, and nobody is lost', async (t) => {
  const served = await serve(t);
  const names = Array.from({ length: MAX_CLIENTS + 20 }, (_, number) => `client-${number}`);
  for (const name of names) await ask(served.origin, '/v1/items/1', { headers: { 'x-client': name } });
  assert.equal(served.round.clients.size, MAX_CLIENTS);
  const each = [...served.round.clients.values()].map(({ calls }) => calls.ok);
  assert.equal(
    each.reduce((sum, ok) => sum + ok, 0),
    names.length,
  );
  assert.equal(served.round.clients.get('other')?.calls.ok, 21);
});

test('reset starts again with empty books; the quota is there again', async (t) => {
  const served = await serve(t, { ...SERENE, 'platform.gates.2.calls': 1 });
  const statuses = async () =>
    [await ask(served.origin, '/v1/items/1'), await ask(served.origin, '/v1/items/2')].map(({ status }) => status);
  assert.deepEqual(await statuses(), [200, 429]);
  assert.equal((await control(served.origin, 'reset', 'POST')).status, 200);
  assert.equal(served.round.clients.size, 0);
  assert.deepEqual(await statuses(), [200, 429]);
});

test('tables, ledger and metrics say the same', async (t) => {
  const served = await serve(t, { ...SERENE, 'platform.gates.2.calls': 3 });
  for (const client of ['one', 'two', 'one', 'two', 'one'])
    await ask(served.origin, '/v1/items/1', { headers: { 'x-client': client } });
  const csv = await control(served.origin, 'tables?format=csv');
  assert.match(csv.body, /^minute,total,billed,/);
  assert.match(csv.body, /\n0,5,3,0,0,2,3,/);
  const tables = JSON.parse((await control(served.origin, 'tables')).body);
  assert.equal(tables.clients.one[0].total + tables.clients.two[0].total, tables.minutes[0].total);
  assert.equal(JSON.parse((await control(served.origin, 'tables?client=one')).body).minutes[0].billed, 2);
  const ledger = JSON.parse((await control(served.origin, 'ledger')).body);
  assert.equal(ledger.books.balance, true);
  assert.deepEqual(ledger.platform.quota, { calls: 3, left: 0 });
  const { body } = await ask(served.origin, '/metrics');
  for (const line of [
    'storm_calls_total{client="one",class="quota"} 1',
    'storm_billed_total{client="one"} 2',
    'storm_quota_left 0',
    'storm_reply_seconds_count 5',
    'storm_refused_total{reason="unauthorized"} 0',
    'storm_replies_in_flight 0',
    'storm_connections 1',
  ])
    assert.ok(body.includes(`\n${line}\n`), line);
});

test('what comes back before the told time is early, for its own thing and client only', async (t) => {
  const limited = {
    ...SERENE,
    'platform.gates.1.rate': 1,
    'platform.gates.1.retry_after': { form: 'seconds', value_s: 3600 },
  };
  const served = await serve(t, limited);
  const call = (client: string, item: number) =>
    ask(served.origin, `/v1/items/${item}`, { headers: { 'x-client': client } });
  for (const [client, item] of [
    ['one', 1],
    ['one', 2],
    ['two', 1],
    ['one', 1],
    ['one', 1],
  ] as const)
    assert.equal((await call(client, item)).headers['retry-after'], '3600');
  assert.equal(served.round.clients.get('one')?.earlyRetries, 2);
  assert.equal(served.round.clients.get('two')?.earlyRetries, 0);
});

test('a drain waits for replies under way, refuses what is new, and leaves no connection', async (t) => {
  const served = await serve(t, { ...SERENE, 'platform.latency_ms': [60_000, 60_000] }, { speed: 1000 });
  const arrived = once(served.server, 'request');
  const under = ask(served.origin, '/v1/items/1');
  await arrived;
  const drained = served.drain();
  assert.equal((await under).status, 200);
  await drained;
  await assert.rejects(ask(served.origin, '/v1/items/2'));
  assert.equal(served.round.clients.get('anonymous')?.unheard, 0);
});

test('a drain does not wait for ever: what is left then is unheard, in both books', async (t) => {
  const served = await serve(t, { ...SERENE, 'platform.latency_ms': [3_600_000, 3_600_000] });
  const under = ask(served.origin, '/v1/items/1');
  under.catch(() => {});
  while (served.pending.size === 0) await ask(served.origin, '/metrics');
  await served.drain(0);
  await assert.rejects(under);
  assert.equal(served.round.clients.get('anonymous')?.unheard, 1);
  assert.equal(served.round.platform.meter.rows()[0]?.unheard_ok, 1);
});

test('a client that leaves before its reply gives its place up at once, and its reply is unheard', async (t) => {
  const served = await serve(t, { ...SERENE, 'platform.latency_ms': [3_600_000, 3_600_000] });
  const controller = new AbortController();
  const under = ask(served.origin, '/v1/items/1', { signal: controller.signal });
  while (served.pending.size === 0) await ask(served.origin, '/metrics');
  controller.abort();
  await assert.rejects(under);
  while (served.pending.size > 0) await ask(served.origin, '/metrics');
  assert.equal(served.round.clients.get('anonymous')?.unheard, 1);
});

test('a request that is given up before its body is there whole is no call', async (t) => {
  const served = await serve(t);
  const { hostname, port } = new URL(served.origin);
  const socket = connect({ host: hostname, port: Number(port) });
  const arrived = once(served.server, 'request');
  socket.write('POST /v1/items/1 HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nhalf');
  await arrived;
  socket.destroy();
  while ((await openConnections(served)) > 0) await new Promise(setImmediate);
  assert.equal(total(served), 0);
});

test('what is beyond a bound is refused and counted: connections, requests in flight, minutes, slow requests', async (t) => {
  const served = await serve(t);
  const { counts } = served.refusals;
  served.server.maxConnections = 1;
  const { hostname, port } = new URL(served.origin);
  const accepted = once(served.server, 'connection');
  const first = connect({ host: hostname, port: Number(port) });
  await accepted;
  await assert.rejects(ask(served.origin, '/v1/items/1'));
  first.destroy();
  assert.equal(counts.too_many_connections, 1);
  served.server.maxConnections = 10;
  for (let each = 0; each < MAX_IN_FLIGHT; each++)
    served.pending.add(
      served.round.clock,
      3_600_000,
      () => {},
      () => {},
    );
  assert.equal((await ask(served.origin, '/v1/items/1')).status, 503);
  assert.equal(counts.too_many_in_flight, 1);
  served.pending.dropAll();
  Object.defineProperty(served.round.clock, 'nowMs', { value: () => MAX_MINUTES * 60_000 });
  assert.equal((await ask(served.origin, '/v1/items/1')).status, 503);
  assert.equal(counts.too_late, 1);
  // What node:http says of a connection that sent too little for too long; to wait for it would take as long.
  const slow = Object.assign(new Error('slow'), { code: 'ERR_HTTP_REQUEST_TIMEOUT' });
  served.server.once('connection', (socket) => served.server.emit('clientError', slow, socket));
  assert.match(await raw(served.origin, ''), /^HTTP\/1.1 408 /);
  assert.equal(counts.timeout, 1);
  const { headersTimeout, requestTimeout, keepAliveTimeout } = served.server;
  assert.deepEqual([headersTimeout, requestTimeout, keepAliveTimeout], [10_000, 30_000, 60_000]);
  assert.equal(total(served), 0);
});
