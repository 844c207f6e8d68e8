// The client's own book, fed by what the libraries tell on their channels: each row is what is told of one request, and what
// the book makes of it.

import assert from 'node:assert/strict';
import { channel } from 'node:diagnostics_channel';
import { EventEmitter } from 'node:events';
import { Socket } from 'node:net';
import test, { type TestContext } from 'node:test';
import { HttpBook, type SentRequest } from './http-book.ts';

interface Desk {
  readonly book: HttpBook;
  readonly clock: { ms: number };
  readonly ended: SentRequest[];
}

function open(t: TestContext): Desk {
  const clock = { ms: 0 };
  const ended: SentRequest[] = [];
  const book = new HttpBook({ nowMs: () => clock.ms, dateMs: () => 1e12 + clock.ms }, (request) => ended.push(request));
  book.install();
  t.after(() => book.close());
  return { book, clock, ended };
}

const tell = (name: string, message: object) => channel(name).publish(message);

/** A request of undici, in the steps that it tells. */
class UndiciRequest {
  readonly method = 'GET';
  readonly path: string;
  readonly socket: Socket;

  constructor(path: string, socket = new Socket()) {
    this.path = path;
    this.socket = socket;
    tell('undici:request:create', { request: this });
  }

  sent(): this {
    tell('undici:client:sendHeaders', { request: this, socket: this.socket });
    return this;
  }

  reply(statusCode: number, headers: Readonly<Record<string, string>> = {}): void {
    const raw = Object.entries(headers).flatMap(([name, value]) => [Buffer.from(name), Buffer.from(value)]);
    tell('undici:request:headers', { request: this, response: { statusCode, headers: raw } });
  }

  fail(): void {
    tell('undici:request:error', { request: this, error: new Error('gone') });
  }
}

const REPLIES: readonly (readonly [number, Readonly<Record<string, string>>, string])[] = [
  [200, {}, 'ok'],
  [201, {}, 'ok'],
  [204, {}, 'ok'],
  [301, {}, 'other'],
  [404, {}, 'other'],
  [429, {}, 'limit429'],
  [429, { 'X-Limit-Kind': 'quota' }, 'quota429'],
  [500, {}, 'error500'],
  [502, {}, 'other'],
  [503, { 'Retry-After': '3' }, 'error503'],
];

test('a reply is booked by its class, in the minute of sending', (t) => {
  for (const [status, headers, replyClass] of REPLIES) {
    const { book, clock, ended } = open(t);
    clock.ms = 59_999;
    const request = new UndiciRequest('/v1/items/4').sent();
    const record = book.arrived(request.socket) ?? assert.fail('not found by its socket');
    assert.deepEqual([book.number(record), record.key, record.path], [1, 4, '/v1/items/4']);
    clock.ms = 60_100;
    request.reply(100);
    assert.equal(ended.length, 0, 'a hundred-continue is no reply');
    request.reply(status, headers);
    assert.deepEqual(book.tally.rows(), [{ ...book.tally.rows()[0], minute: 0, attempts: 1, [replyClass]: 1 }]);
    assert.deepEqual([ended[0]?.replyClass, ended[0]?.status, ended[0]?.receivedMs], [replyClass, status, 60_100]);
    const { doneMs, last } = book.resources.get(4) ?? assert.fail();
    assert.deepEqual([doneMs, last], [replyClass === 'ok' ? 60_100 : undefined, replyClass]);
    request.fail();
    assert.equal(ended.length, 1, 'one end a request');
    book.close();
  }
});

test('requests that were made and not sent are no attempts', (t) => {
  const { book, ended } = open(t);
  new UndiciRequest('/v1/items/1').fail();
  const request = new UndiciRequest('/v1/items/2').sent();
  assert.equal(book.arrived(request.socket)?.made, 2, 'the order is that of making');
  book.close();
  assert.equal(book.tally.attempts, 1);
  assert.deepEqual(
    ended.map(({ key, replyClass }) => [key, replyClass]),
    [[2, 'no_reply']],
  );
});

test('requests of one socket are told apart by their order, and those of other sockets by their socket', (t) => {
  const { book } = open(t);
  const socket = new Socket();
  const [first, second, other] = [
    new UndiciRequest('/items/1', socket).sent(),
    new UndiciRequest('/items/2', socket).sent(),
    new UndiciRequest('/items/3').sent(),
  ];
  assert.equal(book.arrived(other.socket)?.path, '/items/3');
  assert.deepEqual([book.arrived(socket)?.path, book.arrived(socket)?.path], [first.path, second.path]);
  assert.equal(book.arrived(socket), undefined);
  assert.equal(book.arrived(new Socket()), undefined);
});

test('what is given up before the platform decides ends when it has decided', (t) => {
  const { book, ended } = open(t);
  const request = new UndiciRequest('/items/1').sent();
  request.fail();
  assert.equal(ended.length, 0, 'it may have arrived, or not');
  const record = book.arrived(request.socket) ?? assert.fail();
  assert.equal(book.number(record), 1);
  book.decided(record);
  assert.deepEqual(
    ended.map(({ ordinal, replyClass }) => [ordinal, replyClass]),
    [[1, 'no_reply']],
  );
  book.close();
  assert.equal(ended.length, 1);
});

test('a request that its library sends once more has made two attempts', (t) => {
  const { book, ended } = open(t);
  const request = new UndiciRequest('/items/1').sent();
  const record = book.arrived(request.socket) ?? assert.fail();
  book.number(record);
  request.sent();
  assert.deepEqual(
    ended.map(({ replyClass }) => replyClass),
    ['no_reply'],
  );
  book.number(book.arrived(request.socket) ?? assert.fail());
  request.reply(200);
  assert.deepEqual(
    ended.map(({ ordinal, replyClass }) => [ordinal, replyClass]),
    [
      [1, 'no_reply'],
      [2, 'ok'],
    ],
  );
  assert.equal(book.tally.attempts, 2);
});

test('what is on its way: sent at this very moment, and not decided', (t) => {
  const { book, clock } = open(t);
  new UndiciRequest('/items/1').sent();
  clock.ms = 10;
  const decided = new UndiciRequest('/items/2').sent();
  book.number(book.arrived(decided.socket) ?? assert.fail());
  const made = new UndiciRequest('/items/3');
  new UndiciRequest('/items/4').sent();
  made.sent();
  new UndiciRequest('/items/5').sent().fail();
  assert.deepEqual(
    book.onTheirWay().map(({ path }) => path),
    ['/items/3', '/items/4', '/items/5'],
  );
});

const EARLY: readonly (readonly [string, number, string, number, number])[] = [
  ['seconds, too early', 429, '2', 1999, 1],
  ['seconds, in time', 429, '2', 2000, 0],
  ['a date, too early', 503, new Date(1e12 + 3000).toUTCString(), 2999, 1],
  ['a date, in time', 503, new Date(1e12 + 3000).toUTCString(), 3000, 0],
  ['nothing that can be read', 429, 'soon', 1, 0],
  ['a success', 200, '2', 1, 0],
];

test('an attempt before the told time is early', (t) => {
  for (const [name, status, told, nextMs, early] of EARLY) {
    const { book, clock } = open(t);
    new UndiciRequest('/items/1').sent().reply(status, { 'retry-after': told });
    clock.ms = nextMs;
    new UndiciRequest('/items/2').sent();
    assert.equal(book.tally.earlyRetries, 0, 'of another item');
    new UndiciRequest('/items/1').sent();
    assert.equal(book.tally.earlyRetries, early, name);
    book.close();
  }
});

/** As node:http tells of a request: when it is ended, when it has a socket, when it is closed. */
class NodeRequest extends EventEmitter {
  readonly method = 'GET';
  readonly path = '/items/9';
  socket: Socket | null = null;
  destroyed = false;

  constructor() {
    super();
    tell('http.client.request.start', { request: this });
  }

  assign(connecting: boolean): Socket {
    this.socket = new Socket();
    Object.defineProperty(this.socket, 'connecting', { value: connecting, configurable: true });
    this.emit('socket', this.socket);
    return this.socket;
  }
}

test('a request of node:http is sent when it has a connection, not before', (t) => {
  const { book, ended } = open(t);
  const waiting = new NodeRequest();
  assert.equal(book.tally.attempts, 0);
  const connecting = waiting.assign(true);
  assert.equal(book.tally.attempts, 0);
  connecting.emit('connect');
  assert.equal(book.tally.attempts, 1);
  const givenUp = new NodeRequest();
  const late = givenUp.assign(true);
  givenUp.destroyed = true;
  givenUp.emit('close');
  late.emit('connect');
  assert.equal(book.tally.attempts, 1, 'given up before it could be sent');
  const reused = new NodeRequest();
  reused.assign(false);
  assert.equal(book.tally.attempts, 2);
  const response = { statusCode: 503, headers: { 'retry-after': '1', 'set-cookie': ['a', 'b'] } };
  book.number(book.arrived(reused.socket ?? assert.fail()) ?? assert.fail());
  tell('http.client.response.finish', { request: reused, response });
  reused.emit('close');
  assert.deepEqual(
    ended.map(({ replyClass }) => replyClass),
    ['error503'],
  );
});

test('a closed book hears no more', (t) => {
  const { book, ended } = open(t);
  const request = new UndiciRequest('/items/1').sent();
  book.close();
  request.reply(200);
  new UndiciRequest('/items/2').sent();
  assert.deepEqual([ended.length, book.tally.attempts], [1, 1]);
});
