// Holds what the HTTP transport puts on the wire and what it takes off it, against a server on the loopback interface.

import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'node:test';
import { parseItem } from 'structured-headers';
import { readTestdata } from './retry-after/testing.ts';
import { UndiciTransport } from './undici-transport.ts';

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

interface Wire {
  readonly transport: UndiciTransport;
  readonly requests: IncomingMessage[];
  /** Sockets that the server has accepted. */
  sockets: number;
}

/** Serves `handler` for as long as `body` takes. */
async function withServer(connections: number, handler: Handler, body: (wire: Wire) => Promise<void>): Promise<void> {
  const requests: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    requests.push(request);
    handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const wire = { transport: new UndiciTransport(`http://127.0.0.1:${port}`, connections), requests, sockets: 0 };
  server.on('connection', () => wire.sockets++);
  try {
    await body(wire);
  } finally {
    await wire.transport.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

const GET = { host: 'platform', method: 'GET', idempotencyKey: undefined } as const;
const requestOf = (ordinal = 1) => ({ client: 'guarded', ordinal, item: 42, ...GET });
const answerOk: Handler = (_, response) => response.end('{"data":"ok"}');

test('a request: GET of the item path, with the id that the ledger joins on', async () => {
  await withServer(1, answerOk, async ({ transport, requests }) => {
    await transport.send({ client: 'guarded', ordinal: 1234, item: 42, ...GET });
    const [request] = requests;
    assert.deepEqual([request?.method, request?.url], ['GET', '/v1/items/42']);
    assert.equal(request?.headers['x-request-id'], 'guarded-1234');
  });
});

test('the method is sent, and the idempotency key as a quoted string; without one there is no such header', async () => {
  await withServer(1, answerOk, async ({ transport, requests }) => {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'POST', 'PATCH'] as const) {
      await transport.send({ ...requestOf(), method, idempotencyKey: method === 'GET' ? undefined : 'guarded-1-42' });
    }
    assert.deepEqual(
      requests.map(({ method, headers }) => [method, headers['idempotency-key']]),
      [
        ['GET', undefined],
        ['HEAD', '"guarded-1-42"'],
        ['PUT', '"guarded-1-42"'],
        ['DELETE', '"guarded-1-42"'],
        ['POST', '"guarded-1-42"'],
        ['PATCH', '"guarded-1-42"'],
      ],
    );
  });
});

test('a host is named by the Host header; the platform’s own goes without saying', async () => {
  await withServer(1, answerOk, async ({ transport, requests }) => {
    for (const host of ['a.example', 'platform', 'b.example']) await transport.send({ ...requestOf(), host });
    const [first, own, last] = requests.map(({ headers }) => headers.host);
    assert.deepEqual([first, last], ['a.example', 'b.example']);
    assert.match(own ?? '', /^127\.0\.0\.1:[0-9]+$/);
  });
});

test('the key on the wire is the example of the Idempotency-Key draft, byte for byte, and a structured-field string', async () => {
  const { header_examples } = readTestdata('http-specs/idempotency_key_draft.json') as { header_examples: string[] };
  assert.equal(header_examples.length, 2);
  await withServer(1, answerOk, async ({ transport, requests }) => {
    for (const [index, example] of header_examples.entries()) {
      const [idempotencyKey] = parseItem(example);
      assert.ok(typeof idempotencyKey === 'string');
      await transport.send({ ...requestOf(index + 1), method: 'POST', idempotencyKey });
      assert.equal(requests[index]?.headers['idempotency-key'], example);
    }
  });
});

test('a header that comes twice is joined into a list', async () => {
  const handler: Handler = (_, response) => {
    response.writeHead(429, ['Retry-After', '3', 'X-Limit-Kind', 'edge', 'Retry-After', '7']).end();
  };
  await withServer(1, handler, async ({ transport }) => {
    const { headers } = await transport.send(requestOf());
    assert.deepEqual([headers['retry-after'], headers['x-limit-kind']], ['3, 7', 'edge']);
  });
});

test('a reply: status, headers in lower case, and body', async () => {
  const handler: Handler = (_, response) => {
    response.writeHead(429, { 'X-Limit-Kind': 'edge', 'Retry-After': '3' });
    response.end('{"error":"zu schnell – später"}');
  };
  await withServer(1, handler, async ({ transport }) => {
    const { status, headers, body } = await transport.send(requestOf());
    assert.deepEqual([status, headers['x-limit-kind'], headers['retry-after']], [429, 'edge', '3']);
    assert.equal(body, '{"error":"zu schnell – später"}');
  });
});

test('an error status is a reply, not a rejection', async () => {
  const handler: Handler = (request, response) => {
    response.statusCode = request.headers['x-request-id'] === 'guarded-1' ? 500 : 503;
    response.end();
  };
  await withServer(1, handler, async ({ transport }) => {
    assert.deepEqual(
      [(await transport.send(requestOf(1))).status, (await transport.send(requestOf(2))).status],
      [500, 503],
    );
  });
});

test('a body in many pieces is read whole, split characters included', async () => {
  const text = 'äöü€'.repeat(20_000);
  const handler: Handler = (_, response) => {
    const bytes = Buffer.from(text);
    const writeFrom = (offset: number): void => {
      if (offset >= bytes.length) response.end();
      else response.write(bytes.subarray(offset, offset + 9973), () => writeFrom(offset + 9973));
    };
    writeFrom(0);
  };
  await withServer(1, handler, async ({ transport }) => {
    assert.equal((await transport.send(requestOf())).body, text);
  });
});

test('sockets are kept and never more than allowed', async () => {
  await withServer(3, answerOk, async (wire) => {
    for (let round = 0; round < 3; round++) {
      const replies = await Promise.all(
        Array.from({ length: 20 }, (_, index) => wire.transport.send(requestOf(index + 1))),
      );
      assert.equal(replies.length, 20);
    }
    assert.equal(wire.requests.length, 60);
    assert.equal(wire.sockets, 3);
  });
});

test('A42: 8 sockets, 8 calls limited: the ninth has one at once while they sleep, and 300 replies leak none', async () => {
  const limits: Handler = (_, response) => {
    response.writeHead(429, { 'Retry-After': '2' });
    response.end('{"error":"slow down"}'.repeat(1000));
  };
  await withServer(8, limits, async (wire) => {
    const send = (ordinal: number) => wire.transport.send(requestOf(ordinal));
    const replies = await Promise.all(Array.from({ length: 8 }, (_, index) => send(index + 1)));
    // Nobody has tried again: a client that sleeps holds nothing but its reply.
    assert.deepEqual(
      replies.map(({ status, headers }) => [status, headers['retry-after']]),
      new Array(8).fill([429, '2']),
    );
    assert.equal((await send(9)).status, 429);
    for (let ordinal = 10; ordinal <= 300; ordinal++) await send(ordinal);
    assert.equal((await send(301)).status, 429);
    assert.equal(wire.requests.length, 301);
    assert.equal(wire.sockets, 8);
  });
});

test('close ends what is under way and frees the sockets', async () => {
  let arrived = () => {};
  const underWay = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  await withServer(
    1,
    () => arrived(),
    async ({ transport, requests }) => {
      const pending = assert.rejects(transport.send(requestOf()));
      await underWay;
      const socket = requests[0]?.socket;
      const closed = new Promise((resolve) => socket?.once('close', resolve));
      await transport.close();
      await pending;
      await closed;
      await assert.rejects(transport.send(requestOf(2)));
    },
  );
});
