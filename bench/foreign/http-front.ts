// The platform's HTTP server for foreign clients. Requests that arrive at one moment of simulated time are collected and
// decided together when nothing moves, in the order in which the client made them: the order in which sockets become readable
// is the machine's.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { dialectBody } from '../../platform-sim/dialects.ts';
import type { Platform } from '../../platform-sim/platform.ts';
import type { Verdict } from '../../platform-sim/types.ts';
import { DEFAULT_HOST, parseHost, ReplyEncoder } from '../../platform-sim/wire.ts';
import type { ForeignClock } from './foreign-clock.ts';
import type { SentRequest } from './http-book.ts';
import { itemOf } from './resource.ts';

/** Above any that a client sends in earnest: a request that is refused here would be in one book only. */
const MAX_HEADER_BYTES = 1 << 20;

interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly host: string;
  /** Undefined when nobody is left to be answered. */
  readonly response: ServerResponse | undefined;
  readonly connection: Socket | undefined;
  /** The client's record of it; undefined when no library told of it. */
  readonly sent: SentRequest | undefined;
}

/** Told of every verdict; `sent` is the client's record of the request, when its library keeps one. */
export type FrontObserver = (sent: SentRequest | undefined, nowMs: number, verdict: Verdict) => void;

export class HttpFront {
  readonly server: Server;
  readonly #platform: Platform;
  readonly #clock: ForeignClock;
  readonly #find: (remotePort: number) => SentRequest | undefined;
  readonly #observe: FrontObserver;
  readonly #encoder = new ReplyEncoder();
  #arrived: Arrival[] = [];
  #arrivals = 0;
  /** When the last reply of a connection is due. */
  readonly #answeredMs = new WeakMap<Socket, number>();
  /** Replies that are due, by how to drop them. */
  readonly #due = new Set<() => void>();

  constructor(
    platform: Platform,
    clock: ForeignClock,
    find: (remotePort: number) => SentRequest | undefined,
    observe: FrontObserver,
  ) {
    this.#platform = platform;
    this.#clock = clock;
    this.#find = find;
    this.#observe = observe;
    // The limits of node:http run on real time, which simulated time must not be cut by.
    const limits = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0, maxHeaderSize: MAX_HEADER_BYTES };
    this.server = createServer({ keepAlive: true, ...limits }, (request, response) => this.#read(request, response));
  }

  /** Requests that arrived so far. */
  get arrivals(): number {
    return this.#arrivals;
  }

  #read(request: IncomingMessage, response: ServerResponse): void {
    // The date that node would add is the machine's, not the scenario's.
    response.sendDate = false;
    const { method = 'GET', url: path = '/', socket: connection } = request;
    // Requests of one connection are told apart by their order, that is now.
    const { remotePort = 0 } = connection;
    const sent = this.#find(remotePort);
    const arrival: Arrival = { method, path, host: hostOf(request.headers.host), response, connection, sent };
    // Of a body nothing is kept. One that is broken off has arrived as well: the client counts the request as sent.
    request.resume();
    request.once('close', () => {
      this.#arrivals++;
      // node:http tells of a request when it has been written whole, undici when it begins.
      this.#arrived.push({ ...arrival, sent: sent ?? this.#find(remotePort) });
      this.#clock.wake();
    });
  }

  /** A request that is read by nobody any more, since the process ends. */
  arrivesUnheard(sent: SentRequest): void {
    const { method, path } = sent;
    this.#arrivals++;
    this.#decide({ method, path, host: DEFAULT_HOST, response: undefined, connection: undefined, sent });
  }

  /** Decides on everything that arrived; false when nothing did. */
  settle(): boolean {
    if (this.#arrived.length === 0) return false;
    const arrived = this.#arrived;
    this.#arrived = [];
    arrived.sort(inOrderOfMaking);
    for (const arrival of arrived) this.#decide(arrival);
    return true;
  }

  #decide({ path, host, response, connection, sent }: Arrival): void {
    const nowMs = this.#clock.nowMs();
    const decided = this.#platform.decide({ client: path, item: itemOf(path), host }, nowMs);
    const verdict = { ...decided, latencyMs: this.#latencyOn(connection, nowMs, decided) };
    this.#observe(sent, nowMs, verdict);
    let over = false;
    const drop = () => {
      if (over) return;
      over = true;
      this.#due.delete(drop);
      this.#platform.meter.countUnheard(nowMs, verdict);
    };
    this.#due.add(drop);
    // The client may have gone before the platform came to decide.
    if (response === undefined || response.destroyed || response.socket?.destroyed === true) {
      drop();
      return;
    }
    response.once('close', drop);
    this.#clock.schedule(verdict.latencyMs, () => {
      if (over) return;
      if (verdict.lost) {
        drop();
        response.destroy();
        return;
      }
      over = true;
      this.#due.delete(drop);
      this.#write(path, response, verdict);
    });
  }

  /** The replies of a connection come in the order of its requests: one that is pipelined waits for those before it. */
  #latencyOn(connection: Socket | undefined, nowMs: number, { latencyMs }: Verdict): number {
    if (connection === undefined) return latencyMs;
    const replyMs = Math.max(nowMs + latencyMs, this.#answeredMs.get(connection) ?? 0);
    this.#answeredMs.set(connection, replyMs);
    return replyMs - nowMs;
  }

  #write(path: string, response: ServerResponse, verdict: Verdict): void {
    const { status, headers, body: own } = this.#encoder.encode(verdict);
    const body = (status === 200 ? dialectBody(path) : undefined) ?? own;
    response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) });
    response.end(body);
  }

  /** The night is over: whoever still waits for a reply hears none. */
  close(): void {
    for (const drop of [...this.#due]) drop();
    this.server.close();
    this.server.closeAllConnections();
  }
}

/** The name under which the client calls the platform, or the platform's own when it is an address. */
function hostOf(header: string | undefined): string {
  const name = header?.replace(/:[0-9]+$/, '').toLowerCase();
  return name === undefined || /^[0-9.]+$/.test(name) || name === 'localhost' ? DEFAULT_HOST : parseHost(name);
}

/** Requests that no library told of come last, by what they ask for. */
function inOrderOfMaking(a: Arrival, b: Arrival): number {
  if (a.sent !== undefined && b.sent !== undefined) return a.sent.made - b.sent.made;
  if (a.sent !== b.sent) return a.sent === undefined ? 1 : -1;
  const [left, right] = [`${a.method} ${a.path}`, `${b.method} ${b.path}`];
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
