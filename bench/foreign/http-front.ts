// The platform's HTTP server for foreign clients. Requests that arrive at one moment of simulated time are collected and
// decided together when nothing moves, in the order in which the client made them: the order in which sockets become readable
// is the machine's.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { dialectBody } from '../../platform-sim/dialects.ts';
import type { Platform } from '../../platform-sim/platform.ts';
import type { Verdict } from '../../platform-sim/types.ts';
import { ReplyEncoder } from '../../platform-sim/wire.ts';
import type { ForeignClock } from './foreign-clock.ts';
import type { SentRequest } from './http-book.ts';
import { itemOf } from './resource.ts';

/** A request body that is longer is refused with 413 and not read. */
const MAX_BODY_BYTES = 1 << 20;

interface Arrival {
  readonly method: string;
  readonly path: string;
  readonly response: ServerResponse;
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
    const limits = { requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 };
    this.server = createServer({ keepAlive: true, ...limits }, (request, response) => this.#read(request, response));
  }

  /** Requests that arrived so far. */
  get arrivals(): number {
    return this.#arrivals;
  }

  #read(request: IncomingMessage, response: ServerResponse): void {
    // The date that node would add is the machine's, not the scenario's.
    response.sendDate = false;
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > MAX_BODY_BYTES) response.writeHead(413, { connection: 'close' }).end();
    });
    request.on('end', () => {
      if (response.headersSent) return;
      const { method = 'GET', url: path = '/' } = request;
      this.#arrivals++;
      this.#arrived.push({ method, path, response, sent: this.#find(request.socket.remotePort ?? 0) });
      this.#clock.wake();
    });
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

  #decide({ path, response, sent }: Arrival): void {
    const nowMs = this.#clock.nowMs();
    const verdict = this.#platform.decide({ client: path, item: itemOf(path) }, nowMs);
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
    if (response.destroyed || response.socket?.destroyed === true) drop();
    else response.once('close', drop);
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

/** Requests that no library told of come last, by what they ask for. */
function inOrderOfMaking(a: Arrival, b: Arrival): number {
  if (a.sent !== undefined && b.sent !== undefined) return a.sent.made - b.sent.made;
  if (a.sent === b.sent) return `${a.method} ${a.path}` < `${b.method} ${b.path}` ? -1 : 1;
  return a.sent === undefined ? 1 : -1;
}
