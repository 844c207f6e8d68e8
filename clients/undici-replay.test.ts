// Holds what becomes of a request whose kept connection fails in silence (case A23): replayed once, at once, on a new one, and
// counted; and that nothing else is replayed. The servers speak raw TCP and count what they saw.

import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { getEventListeners } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import test, { type TestContext } from 'node:test';
import { type NoReplyCause, NoReplyError } from '../platform-sim/no-reply.ts';
import type { Method } from './ports.ts';
import { type UndiciOptions, UndiciTransport } from './undici-transport.ts';

const OK = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

/** A request as the server saw it: the how manieth connection, the how manieth request on it, and its text. */
interface Seen {
  readonly connection: number;
  readonly nth: number;
  readonly text: string;
}

type Behaviour = (socket: Socket, seen: Seen) => void;

/** A server of bytes, and a transport to it. */
async function stage(t: TestContext, behave: Behaviour, connections = 1, options: UndiciOptions = {}) {
  const seen: Seen[] = [];
  const sockets = new Set<Socket>();
  const count = { accepted: 0, mostOpen: 0 };
  const server = createServer((socket) => {
    const connection = ++count.accepted;
    let nth = 0;
    sockets.add(socket);
    count.mostOpen = Math.max(count.mostOpen, sockets.size);
    // A client that is gone resets.
    socket.on('error', () => sockets.delete(socket)).on('close', () => sockets.delete(socket));
    socket.on('data', (bytes) => {
      const request = { connection, nth: ++nth, text: bytes.toString('latin1') };
      seen.push(request);
      behave(socket, request);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const transport = new UndiciTransport(`http://127.0.0.1:${port}`, connections, options);
  t.after(async () => {
    await transport.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const places = () => seen.map(({ connection, nth }) => [connection, nth]);
  return { transport, server, seen, places, sockets, count };
}

const requestOf = (ordinal: number, method: Method = 'GET', key?: string) =>
  ({ client: 'guarded', ordinal, item: 42, host: 'platform', method, idempotencyKey: key }) as const;

const noReply = (why: NoReplyCause) => (error: unknown) => {
  assert.ok(error instanceof NoReplyError, String(error));
  assert.equal(error.why, why);
  return true;
};

/** The two ways in which a server leaves: FIN and RST. */
const LEAVES: Readonly<Record<string, (socket: Socket) => void>> = {
  'closes the connection': (socket) => socket.destroy(),
  'resets the connection': (socket) => socket.resetAndDestroy(),
};
const METHODS: readonly (readonly [Method, string | undefined])[] = [
  ['GET', undefined],
  ['PUT', undefined],
  ['DELETE', undefined],
  ['POST', undefined],
  ['POST', 'guarded-1-42'],
  ['PATCH', undefined],
];

for (const [name, leave] of Object.entries(LEAVES)) {
  test(`a server that ${name} upon the second request: replayed once on a new one, whatever the method`, async (t) => {
    for (const [method, key] of METHODS) {
      const { transport, seen, places } = await stage(t, (socket, { nth }) =>
        nth === 1 ? socket.write(OK) : leave(socket),
      );
      assert.equal((await transport.send(requestOf(1, method, key))).status, 200);
      assert.equal(transport.replays, 0);
      const reply = await transport.send(requestOf(2, method, key));
      assert.deepEqual([reply.status, reply.body, transport.replays], [200, 'ok', 1], method);
      const both = [
        [1, 1],
        [1, 2],
        [2, 1],
      ];
      assert.deepEqual(places(), both, method);
      assert.equal(seen[2]?.text, seen[1]?.text, 'the same bytes, request id and key included');
    }
  });

  test(`a server that ${name} upon every second request: each of many is replayed for itself`, async (t) => {
    const { transport, seen } = await stage(t, (socket, { nth }) => (nth === 1 ? socket.write(OK) : leave(socket)));
    for (let ordinal = 1; ordinal <= 20; ordinal++)
      assert.equal((await transport.send(requestOf(ordinal, 'POST'))).status, 200);
    assert.deepEqual([transport.replays, seen.length], [19, 39]);
  });

  test(`a server that ${name} again upon the replay: no second replay, and it may have acted`, async (t) => {
    const { transport, places } = await stage(t, (socket, { connection }) =>
      places().length === 1 && connection === 1 ? socket.write(OK) : leave(socket),
    );
    await transport.send(requestOf(1, 'POST'));
    await assert.rejects(transport.send(requestOf(2, 'POST')), noReply('reset'));
    assert.equal(transport.replays, 1);
    assert.deepEqual(places(), [
      [1, 1],
      [1, 2],
      [2, 1],
    ]);
  });

  test(`a server that ${name} upon the first request of a connection: not replayed`, async (t) => {
    const { transport, places } = await stage(t, leave);
    for (const method of ['GET', 'POST'] as const)
      await assert.rejects(transport.send(requestOf(1, method)), noReply('reset'));
    assert.equal(transport.replays, 0);
    assert.deepEqual(places(), [
      [1, 1],
      [2, 1],
    ]);
  });

  test(`a server that ${name} and listens no more: the replay is refused, but the first sending may have acted`, async (t) => {
    const { transport, server, seen } = await stage(t, (socket, { nth }) =>
      nth === 1 ? socket.write(OK) : leave(socket),
    );
    await transport.send(requestOf(1, 'POST'));
    server.close();
    await assert.rejects(transport.send(requestOf(2, 'POST')), noReply('reset'));
    assert.deepEqual([transport.replays, seen.length], [1, 2]);
    await assert.rejects(transport.send(requestOf(3, 'POST')), noReply('connect_failure'));
    assert.deepEqual([transport.replays, seen.length], [1, 2], 'never connected: nothing to replay');
  });

  test(`a server that ${name} in the moment of sending, before or after it is written: nobody notices`, async (t) => {
    for (const phase of ['poll', 'check'] as const) {
      const { transport, sockets, seen } = await stage(t, (socket) => socket.write(OK));
      for (let ordinal = 1; ordinal <= 10; ordinal++) {
        // In the check phase, the end of the connection is seen before undici writes; else the bytes go first.
        if (phase === 'check') await new Promise<void>((resolve) => setImmediate(resolve));
        for (const socket of sockets) leave(socket);
        assert.equal((await transport.send(requestOf(ordinal, 'POST'))).status, 200, phase);
      }
      assert.equal(seen.length, 10, 'each was seen once: what is not seen is no call');
      assert.ok(transport.replays <= 9);
    }
  });
}

test('a server that closes each connection right after its reply: each request is answered once', async (t) => {
  const { transport, seen, count } = await stage(t, (socket, { nth }) => (nth === 1 ? socket.end(OK) : undefined));
  for (let ordinal = 1; ordinal <= 30; ordinal++)
    assert.equal((await transport.send(requestOf(ordinal, 'POST'))).status, 200);
  assert.equal(seen.filter(({ nth }) => nth === 1).length, 30);
  assert.equal(count.accepted, 30);
});

test('half a status line on a kept connection, then a reset or a close: a cut, not replayed', async (t) => {
  for (const leave of Object.values(LEAVES)) {
    for (const method of ['GET', 'POST'] as const) {
      let halfRead: () => void = () => {};
      const { transport, places } = await stage(t, (socket, { nth }) => {
        if (nth === 1) {
          socket.write(OK);
          return;
        }
        // Once the client has read it: a reset takes back what was not read yet.
        halfRead = () => leave(socket);
        socket.write('HTTP/1.1 2');
      });
      const connected = channel('undici:client:connected');
      const listen = (message: unknown) =>
        (message as { readonly socket: Socket }).socket.on('readable', () => halfRead());
      connected.subscribe(listen);
      await transport.send(requestOf(1, method));
      await assert.rejects(transport.send(requestOf(2, method)), noReply('reset'));
      connected.unsubscribe(listen);
      assert.equal(transport.replays, 0);
      assert.deepEqual(places(), [
        [1, 1],
        [1, 2],
      ]);
    }
  }
});

test('many at a time over few connections, all of which were left: all are answered, never over more than allowed', async (t) => {
  const leave = (socket: Socket) => socket.resetAndDestroy();
  const { transport, seen, count } = await stage(
    t,
    (socket, { nth }) => (nth % 3 === 0 ? leave(socket) : socket.write(OK)),
    4,
  );
  const replies = await Promise.all(Array.from({ length: 60 }, (_, i) => transport.send(requestOf(i + 1, 'POST'))));
  assert.ok(replies.every(({ status }) => status === 200));
  assert.ok(transport.replays >= 20, String(transport.replays));
  assert.equal(seen.length, 60 + transport.replays);
  assert.ok(count.mostOpen <= 4, String(count.mostOpen));
});

test('the replay takes a new connection, also when others are idle that may have been left as well', async (t) => {
  const behave: Behaviour = (socket, { nth }) => (nth === 1 ? socket.write(OK) : socket.destroy());
  const { transport, places } = await stage(t, behave, 4);
  await Promise.all([1, 2, 3, 4].map((ordinal) => transport.send(requestOf(ordinal, 'POST'))));
  assert.equal((await transport.send(requestOf(5, 'POST'))).status, 200);
  assert.equal(transport.replays, 1);
  assert.deepEqual(places().at(-1), [5, 1]);
});

test('given up while it is replayed: cancelled, not replayed again, and no listener is left', async (t) => {
  const controller = new AbortController();
  const { transport, seen } = await stage(t, (socket, { connection, nth }) => {
    if (connection === 2) controller.abort();
    else if (nth === 1) socket.write(OK);
    else socket.destroy();
  });
  await transport.send(requestOf(1), controller.signal);
  await assert.rejects(transport.send(requestOf(2), controller.signal), noReply('cancelled'));
  assert.deepEqual([transport.replays, seen.length], [1, 3]);
  assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
});

test('a replay leaves no listener either, answered or cut', async (t) => {
  const { signal } = new AbortController();
  const { transport } = await stage(t, (socket, { connection, nth }) =>
    nth === 1 && connection < 4 ? socket.write(OK) : socket.destroy(),
  );
  for (const ordinal of [1, 2, 3]) await transport.send(requestOf(ordinal), signal);
  assert.equal(transport.replays, 2);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  await assert.rejects(transport.send(requestOf(4), signal), noReply('reset'));
  assert.equal(transport.replays, 3);
  assert.equal(getEventListeners(signal, 'abort').length, 0);
});

test('without replays, for whom every sending is a reserved call: an attempt without a reply, sent once', async (t) => {
  for (const leave of Object.values(LEAVES)) {
    const behave: Behaviour = (socket, { nth }) => (nth === 1 ? socket.write(OK) : leave(socket));
    const { transport, places } = await stage(t, behave, 1, { replays: false });
    await transport.send(requestOf(1));
    await assert.rejects(transport.send(requestOf(2)), noReply('reset'));
    assert.deepEqual(places(), [
      [1, 1],
      [1, 2],
    ]);
    assert.equal(transport.replays, 0);
  }
});
