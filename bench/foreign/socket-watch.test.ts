// Which connections are let through, in every form in which one is asked for, and when the watch says that nothing moves. Over
// real sockets of the loopback interface.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, Socket } from 'node:net';
import test, { type TestContext } from 'node:test';
import { native } from './natives.ts';
import { SocketWatch } from './socket-watch.ts';

const turn = () => new Promise<void>((resolve) => native.setImmediate(resolve));
const original = Socket.prototype.connect;

interface Watched {
  readonly watch: SocketWatch;
  readonly server: Server;
  readonly port: number;
}

async function watched(t: TestContext, ...names: readonly string[]): Promise<Watched> {
  const watch = new SocketWatch(names);
  const server = createServer({ allowHalfOpen: false }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  watch.serve(server);
  watch.install();
  t.after(() => {
    Socket.prototype.connect = original;
    server.close();
  });
  return { watch, server, port: (server.address() as AddressInfo).port };
}

type Form = (port: number) => Socket;
const LET_THROUGH: readonly (readonly [string, Form])[] = [
  ['port and host', (port) => connect(port, '127.0.0.1')],
  ['port alone', (port) => connect(port)],
  ['port as text', (port) => connect({ port: String(port) as unknown as number })],
  ['options', (port) => connect({ port, host: 'localhost' })],
  ['a socket of its own', (port) => new Socket().connect(port, '127.0.0.1')],
  ['a socket of its own, options', (port) => new Socket().connect({ port, host: '::1' })],
  ['a socket of its own, port alone', (port) => new Socket().connect(port)],
  ['a name that was told', () => connect(80, 'api.example.com')],
  ['a name in capitals', () => connect({ host: 'API.Example.COM', port: 443 })],
  ['a name with its port', () => connect(8080, 'other.example.com')],
];

for (const [name, form] of LET_THROUGH) {
  test(`${name}: reaches the platform`, async (t) => {
    const { watch, server, port } = await watched(t, 'Api.example.com', 'other.example.com:8080');
    const accepted = once(server, 'connection');
    const socket = form(port);
    await once(socket, 'connect');
    await accepted;
    assert.equal(socket.remotePort, port);
    assert.equal(watch.elsewhere, undefined);
    assert.equal(watch.clientOf(socket.localPort ?? 0), socket);
    socket.destroy();
    await once(socket, 'close');
  });
}

const REFUSED: readonly (readonly [string, Form, string | undefined])[] = [
  ['another port', (port) => connect(port === 9 ? 10 : 9, '127.0.0.1'), undefined],
  ['a name that was not told', () => connect(80, 'unknown.example.com'), 'unknown.example.com:80'],
  ['a name with another port', () => connect(8081, 'other.example.com'), 'other.example.com:8081'],
  ['a pipe', () => connect('/tmp/pipe'), '/tmp/pipe'],
  ['a pipe by options', () => new Socket().connect({ path: '/tmp/pipe' }), '/tmp/pipe'],
];

for (const [name, form, where] of REFUSED) {
  test(`${name}: is refused as a port is that nobody listens on, and named`, async (t) => {
    const { watch, port } = await watched(t, 'other.example.com:8080');
    const [error] = (await once(form(port), 'error')) as [NodeJS.ErrnoException];
    assert.equal(error.code, 'ECONNREFUSED');
    assert.match(error.message, /not the simulated platform/);
    if (where !== undefined) assert.equal(watch.elsewhere, where);
    else assert.match(String(watch.elsewhere), /^127\.0\.0\.1:(9|10)$/);
    const first = watch.elsewhere;
    connect('/tmp/another-pipe').once('error', () => {});
    assert.equal(watch.elsewhere, first, 'the first one is kept');
  });
}

/** A few turns, until the watch says the same number twice. */
async function stillness(watch: SocketWatch): Promise<number> {
  for (let last: number | undefined; ; ) {
    await turn();
    const now = watch.stillness();
    if (now !== undefined && now === last) return now;
    last = now;
  }
}

test('connecting, writing, answering and closing all move, and then all is still at another number', async (t) => {
  const { watch, server, port } = await watched(t);
  const accepted = once(server, 'connection') as Promise<[Socket]>;
  assert.equal(watch.stillness(), 0);
  const socket = connect(port);
  assert.equal(watch.stillness(), undefined);
  assert.match(watch.underWay(), /a connection that is not made/);
  const [other] = await accepted;
  const seen = [await stillness(watch)];
  socket.resume();
  socket.write('question');
  assert.equal(watch.stillness(), undefined);
  assert.match(watch.underWay(), /8 bytes to the platform and 0 from it/);
  other.resume();
  seen.push(await stillness(watch));
  other.write('answer');
  assert.match(watch.underWay(), /0 bytes to the platform and 6 from it/);
  seen.push(await stillness(watch));
  socket.destroy();
  seen.push(await stillness(watch));
  assert.equal(new Set(seen).size, seen.length, seen.join());
  assert.equal(watch.underWay(), '');
  assert.equal(watch.clientOf(other.remotePort ?? 0), undefined);
});

test('a client that leaves while it is connecting leaves nothing under way', async (t) => {
  const { watch, server, port } = await watched(t);
  let open = 0;
  server.on('connection', (socket) => {
    open++;
    socket.resume().once('close', () => open--);
  });
  for (let count = 0; count < 20; count++) {
    const accepted = once(server, 'connection');
    const socket = connect(port);
    // The system connects at the next tick, and the socket hears of it a turn later.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    assert.equal(socket.connecting, true);
    socket.destroy();
    await accepted;
  }
  while (open > 0) await turn();
  assert.deepEqual([watch.underWay(), watch.stillness() === undefined], ['', false]);
});
