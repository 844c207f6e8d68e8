// The client's own book when the client is foreign code: what its HTTP library sent and got, as the library tells it on
// Node's diagnostics channels (undici and fetch, node:http). Nothing here is copied from the platform.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { classify } from '../../clients/classify.ts';
import { NotBefore } from '../../clients/not-before.ts';
import { leavesDoubt } from '../../clients/outcome.ts';
import type { ReplyClass } from '../../clients/policy.ts';
import type { Method } from '../../clients/ports.ts';
import { DEFAULT_TOLD_WAIT } from '../../clients/retry-after/read-told-wait.ts';
import { Tally } from '../../clients/tally.ts';
import { ToldReader } from '../../clients/told-reader.ts';
import type { ReplyHeaders } from '../../platform-sim/wire.ts';
import { resourceKey } from './resource.ts';

/** One request of the client, from when its library made it. */
export interface SentRequest {
  /** Order of making, from 1; requests that were made and never sent leave gaps. */
  readonly made: number;
  /** Order in which the platform decided, from 1; 0 while it has not. */
  ordinal: number;
  readonly method: string;
  readonly path: string;
  readonly key: number;
  readonly sentMs: number;
  replyClass: ReplyClass | undefined;
  status: number | undefined;
  receivedMs: number | undefined;
}

/** One thing that the client asked for, an item or a path. */
export interface Resource {
  readonly firstSentMs: number;
  /** When the first success came. */
  doneMs: number | undefined;
  /** What the latest answer was. */
  last: ReplyClass | undefined;
  /** Whether an attempt may have taken effect that no later one has told of. */
  inDoubt: boolean;
}

export interface BookClock {
  nowMs(): number;
  dateMs(): number;
}

type Listener = (message: unknown) => void;
interface UndiciRequest {
  readonly method: string;
  readonly path: string;
}

export class HttpBook {
  readonly tally = new Tally();
  readonly #clock: BookClock;
  readonly #told: ToldReader;
  readonly #notBefore = new NotBefore();
  /** Requests under way, by the library's object. */
  readonly #open = new Map<object, SentRequest>();
  /** Order of making of requests that are not sent yet: sockets get ready in an order that is the machine's. */
  readonly #made = new WeakMap<object, number>();
  /** Requests that the platform has not seen yet, by the socket that they were written to. */
  readonly #unseen = new WeakMap<Socket, SentRequest[]>();
  readonly #listeners: readonly (readonly [string, Listener])[];
  readonly #ended: (request: SentRequest) => void;
  #lastMade = 0;
  #lastOrdinal = 0;
  /** Given up by the client before the platform had decided. What the platform never reads was taken back, and is no call. */
  readonly #givenUp = new Set<SentRequest>();
  /** What was asked for, by its key. */
  readonly resources = new Map<number, Resource>();

  /** @param ended told of every request that has an end */
  constructor(clock: BookClock, ended: (request: SentRequest) => void) {
    this.#clock = clock;
    this.#ended = ended;
    this.#told = new ToldReader(DEFAULT_TOLD_WAIT, clock);
    this.#listeners = this.#channels();
  }

  install(): void {
    for (const [name, listener] of this.#listeners) subscribe(name, listener);
  }

  /** Takes what is still under way for unanswered, and hears no more. */
  close(): void {
    for (const [name, listener] of this.#listeners) unsubscribe(name, listener);
    for (const [request, record] of [...this.#open]) {
      if (record.ordinal === 0) this.number(record);
      this.#lost(request);
    }
    this.#givenUp.clear();
  }

  /** What was sent at this moment and has not been decided: time does not go on before it is, unless the process ends. */
  onTheirWay(): SentRequest[] {
    const nowMs = this.#clock.nowMs();
    const undecided = [...this.#open.values(), ...this.#givenUp].filter(({ ordinal }) => ordinal === 0);
    return undecided.filter(({ sentMs }) => sentMs === nowMs).sort((a, b) => a.made - b.made);
  }

  /** The platform has read a request from the other end of this socket: which one. */
  arrived(socket: Socket): SentRequest | undefined {
    return this.#unseen.get(socket)?.shift();
  }

  /** The platform decides on it, so it was sent, at this very moment of simulated time: its number among all. */
  number(record: SentRequest): number {
    record.ordinal = ++this.#lastOrdinal;
    this.tally.sent(record.sentMs);
    return record.ordinal;
  }

  /** The platform has decided on it. */
  decided(record: SentRequest): void {
    if (this.#givenUp.delete(record)) this.#end(record, 'no_reply');
  }

  #channels(): readonly (readonly [string, Listener])[] {
    const on = <T>(name: string, run: (message: T) => void) => [name, (message: unknown) => run(message as T)] as const;
    return [
      on('undici:request:create', ({ request }: { request: object }) => this.#make(request)),
      on('undici:client:sendHeaders', ({ request, socket }: { request: UndiciRequest; socket: Socket }) =>
        this.#sent(request, request.method, request.path, socket),
      ),
      on(
        'undici:request:headers',
        ({ request, response }: { request: object; response: { statusCode: number; headers: Buffer[] } }) =>
          this.#heard(request, response.statusCode, rawHeaders(response.headers)),
      ),
      on('undici:request:error', ({ request }: { request: object }) => this.#lost(request)),
      on('http.client.request.start', ({ request }: { request: ClientRequest }) => this.#started(request)),
      on(
        'http.client.response.finish',
        ({ request, response }: { request: ClientRequest; response: IncomingMessage }) =>
          this.#heard(request, response.statusCode ?? 0, flat(response.headers)),
      ),
    ];
  }

  /** A request of node:http may wait for a socket of its agent. */
  #started(request: ClientRequest): void {
    this.#make(request);
    const sent = (socket: Socket) => {
      if (!request.destroyed) this.#sent(request, request.method, request.path, socket);
    };
    // Nothing goes out before the connection is made; a request that is given up before that was not sent.
    const connected = (socket: Socket) => {
      if (socket.connecting) socket.once('connect', () => sent(socket));
      else sent(socket);
    };
    if (request.socket === null || request.socket === undefined) request.once('socket', connected);
    else connected(request.socket);
    request.once('close', () => this.#lost(request));
  }

  #make(request: object): void {
    this.#made.set(request, ++this.#lastMade);
  }

  #sent(request: object, method: string, path: string, socket: Socket): void {
    // A library that sends a request once more, since its connection broke, has made two attempts.
    this.#lost(request);
    const sentMs = this.#clock.nowMs();
    const key = resourceKey(path);
    const record: SentRequest = {
      made: this.#made.get(request) ?? ++this.#lastMade,
      ordinal: 0,
      method,
      path,
      key,
      sentMs,
      replyClass: undefined,
      status: undefined,
      receivedMs: undefined,
    };
    this.#open.set(request, record);
    const waiting = this.#unseen.get(socket);
    if (waiting === undefined) this.#unseen.set(socket, [record]);
    else waiting.push(record);
    if (!this.resources.has(key))
      this.resources.set(key, { firstSentMs: sentMs, doneMs: undefined, last: undefined, inDoubt: false });
    if (this.#notBefore.isEarly(key, sentMs)) this.tally.earlyRetries++;
  }

  #heard(request: object, status: number, headers: ReplyHeaders): void {
    // A hundred-continue and the like is not the reply.
    if (status < 200) return;
    const record = this.#close(request);
    if (record === undefined) return;
    const reply = { status, headers, body: '' };
    record.status = status;
    const replyClass = classify(reply);
    if (replyClass === 'ok') this.#notBefore.clear(record.key);
    else this.#notBefore.hear(record.key, this.#told.read(reply), this.#clock.nowMs());
    this.#end(record, replyClass);
  }

  #lost(request: object): void {
    const record = this.#close(request);
    if (record === undefined) return;
    if (record.ordinal === 0) this.#givenUp.add(record);
    else this.#end(record, 'no_reply');
  }

  #close(request: object): SentRequest | undefined {
    const record = this.#open.get(request);
    this.#open.delete(request);
    return record;
  }

  #end(record: SentRequest, replyClass: ReplyClass): void {
    record.replyClass = replyClass;
    record.receivedMs = this.#clock.nowMs();
    const resource = this.resources.get(record.key);
    if (resource !== undefined) {
      resource.last = replyClass;
      const reply = record.status === undefined ? undefined : { status: record.status, headers: {}, body: '' };
      const method = record.method as Method;
      resource.inDoubt = leavesDoubt(
        { method, idempotencyKey: undefined, inDoubt: resource.inDoubt },
        replyClass,
        reply,
      );
      if (replyClass === 'ok') resource.doneMs ??= record.receivedMs;
    }
    this.tally.received(record.sentMs, replyClass);
    this.#ended(record);
  }
}

/** Header names and values as undici hands them over: name, value, name, value. */
function rawHeaders(raw: readonly Buffer[]): ReplyHeaders {
  const headers: Record<string, string> = {};
  for (let i = 0; i + 1 < raw.length; i += 2) {
    const name = String(raw[i]).toLowerCase();
    const value = String(raw[i + 1]);
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return headers;
}

function flat(headers: IncomingMessage['headers']): ReplyHeaders {
  const entries = Object.entries(headers).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.join(', ') : value,
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as ReplyHeaders;
}
