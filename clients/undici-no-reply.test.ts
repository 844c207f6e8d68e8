// Holds how the HTTP transport tells an attempt without a reply, cut off or given up, from errors that are ours.

import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import test from 'node:test';
import { errors } from 'undici';
import { type NoReplyCause, NoReplyError } from '../platform-sim/no-reply.ts';
import { UndiciTransport } from './undici-transport.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** Serves `handler` for as long as `body` takes; `seen` counts the requests. */
async function withServer(
  handler: Handler,
  body: (transport: UndiciTransport, seen: () => number) => Promise<void>,
): Promise<void> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests++;
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const transport = new UndiciTransport(`http://127.0.0.1:${port}`, 1);
  try {
    await body(transport, () => requests);
  } finally {
    await transport.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const requestOf = (ordinal = 1) =>
  ({ client: 'guarded', ordinal, item: 42, host: 'platform', method: 'GET', idempotencyKey: undefined }) as const;
const answerOk: Handler = (_, response) => response.end('{"data":"ok"}');

/** Checks a rejection: the one error that an attempt without a reply has, with what really happened as its cause. */
function noReply(why: NoReplyCause, isCause: (cause: unknown) => boolean) {
  return (error: unknown): boolean => {
    assert.ok(error instanceof NoReplyError, String(error));
    assert.equal(error.why, why);
    assert.ok(isCause(error.cause), String(error.cause));
    return true;
  };
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;

test('it rejects when no reply comes: socket cut before or within the reply', async () => {
  for (const before of [true, false]) {
    const handler: Handler = (_, response) => {
      if (before) response.destroy();
      else response.writeHead(200, { 'content-length': 100 }).write('half of it', () => response.destroy());
    };
    await withServer(handler, async (transport) => {
      const cut = (cause: unknown) => cause instanceof errors.SocketError || codeOf(cause) === 'ECONNRESET';
      await assert.rejects(transport.send(requestOf()), noReply('reset', cut));
    });
  }
});

/** A port of the loopback interface on which nobody listens. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

test('it rejects when nobody listens, and says that the request never arrived', async () => {
  const transport = new UndiciTransport(`http://127.0.0.1:${await closedPort()}`, 1);
  const refused = noReply('connect_failure', (cause) => codeOf(cause) === 'ECONNREFUSED');
  for (const method of ['GET', 'POST'] as const)
    await assert.rejects(transport.send({ ...requestOf(), method }), refused);
  assert.equal(transport.replays, 0);
  await transport.close();
});

test('it rejects when every address of a name refuses', async () => {
  const transport = new UndiciTransport(`http://localhost:${await closedPort()}`, 1);
  await assert.rejects(
    transport.send(requestOf()),
    noReply('connect_failure', (cause) => codeOf(cause) === 'ECONNREFUSED'),
  );
  await transport.close();
});

test('a server that speaks no TLS will never do; one that hangs up in the handshake may the next time', async () => {
  for (const [speak, why] of [
    ['this is no TLS\r\n\r\n', 'connect_impossible'],
    ['', 'connect_failure'],
  ] as const) {
    const server = createTcpServer((socket) =>
      socket
        .on('error', () => {})
        .resume()
        .end(speak),
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const transport = new UndiciTransport(`https://127.0.0.1:${(server.address() as AddressInfo).port}`, 1);
    await assert.rejects(
      transport.send(requestOf()),
      noReply(why, (cause) => cause instanceof Error),
    );
    await transport.close();
    await new Promise((resolve) => server.close(resolve));
  }
});

test('a reply that says that it is the last one and stops before its end is cut', async () => {
  for (const length of [{ 'content-length': 100 }, { 'transfer-encoding': 'chunked' }]) {
    const handler: Handler = (_, response) => {
      response.writeHead(200, { connection: 'close', ...length }).write('half of it', () => response.destroy());
    };
    await withServer(handler, async (transport) => {
      await assert.rejects(
        transport.send(requestOf()),
        noReply('reset', (cause) => cause instanceof Error),
      );
    });
  }
});

test('it rejects when aborted, and the pool lives on', async () => {
  const controller = new AbortController();
  const handler: Handler = (_, response) => {
    if (controller.signal.aborted) response.end('after');
    else controller.abort();
  };
  await withServer(handler, async (transport) => {
    const aborted = noReply('cancelled', (cause) => cause instanceof Error && cause.name === 'AbortError');
    await assert.rejects(transport.send(requestOf(1), controller.signal), aborted);
    assert.equal((await transport.send(requestOf(2))).body, 'after');
  });
});

test('aborted while the body comes, it is cancelled as well', async () => {
  const controller = new AbortController();
  const handler: Handler = (_, response) => {
    response.writeHead(200, { 'content-length': 100 }).write('half of it', () => controller.abort());
  };
  await withServer(handler, async (transport) => {
    const aborted = noReply('cancelled', (cause) => cause instanceof Error && cause.name === 'AbortError');
    await assert.rejects(transport.send(requestOf(1), controller.signal), aborted);
  });
});

test("an error that is not the connection's is passed on as it is", async () => {
  await withServer(answerOk, async (transport, seen) => {
    const unsendable = transport.send({ ...requestOf(), client: 'line\nbreak' });
    await assert.rejects(unsendable, (error) => error instanceof errors.InvalidArgumentError);
    assert.equal(seen(), 0);
    await transport.close();
    await assert.rejects(transport.send(requestOf(2)), (error) => error instanceof errors.ClientDestroyedError);
  });
});

test('a reply that is no HTTP is a failure of ours, not a missing reply', async () => {
  const handler: Handler = (_, { socket }) => socket?.end('this is not HTTP\r\n\r\n');
  await withServer(handler, async (transport) => {
    await assert.rejects(transport.send(requestOf()), (error) => error instanceof errors.HTTPParserError);
  });
});
