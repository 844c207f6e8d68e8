// The platform as an HTTP server for programs in any language, on the wall clock. It trusts nobody: whatever can not be a call is
// refused and counted before the platform hears of it.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { listen } from '../../platform-sim/http-server.ts';
import { CLIENT_HEADER, parseHost } from '../../platform-sim/wire.ts';
import { WallClock } from '../clocks/wall-clock.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { ClientBook } from './client-book.ts';
import { Control } from './control.ts';
import {
  CLOSE_MS,
  CONNECTION_CHECK_MS,
  DRAIN_MS,
  HEADERS_TIMEOUT_MS,
  IDLE_TIMEOUT_MS,
  MAX_BODY_BYTES,
  MAX_CONNECTIONS,
  MAX_HEADER_BYTES,
  MAX_IN_FLIGHT,
  MAX_MINUTES,
  MAX_PATH_BYTES,
  REQUEST_TIMEOUT_MS,
} from './limits.ts';
import { Metrics } from './metrics.ts';
import { PendingReplies } from './pending-replies.ts';
import { type AnsweredRefusal, Refusals } from './refusals.ts';
import { Round } from './round.ts';

export interface ServerSettings {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly speed: number;
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
  /** What the control endpoints ask for. */
  readonly token: string;
}

const METHODS: ReadonlySet<unknown> = new Set(['GET', 'HEAD', 'PUT', 'DELETE', 'POST', 'PATCH']);
const MINUTE_MS = 60_000;

export class PlatformServer {
  readonly settings: ServerSettings;
  readonly server: Server;
  readonly refusals = new Refusals();
  readonly pending = new PendingReplies();
  /** Resolves when somebody with the token has asked to stop. */
  readonly stopAsked: Promise<void>;
  round: Round;
  readonly #control: Control;
  readonly #metrics: Metrics;
  #origins: ReadonlySet<string> = new Set();
  #stopping = false;

  constructor(settings: ServerSettings) {
    this.settings = settings;
    this.round = this.#newRound();
    let stop = () => {};
    this.stopAsked = new Promise((resolve) => {
      stop = resolve;
    });
    this.#control = new Control(this, settings.token, stop);
    this.#metrics = new Metrics(this);
    this.server = this.#server();
  }

  /** @throws NodeJS.ErrnoException when the port or the address can not be had */
  async listen(): Promise<void> {
    const { host, port } = this.settings;
    await listen(this.server, port, host);
    this.#origins = new Set(
      ['127.0.0.1', 'localhost', '[::1]'].map((name) => this.#originOf(name)).concat(this.origin),
    );
  }

  /** Address to send requests to. */
  get origin(): string {
    const { host } = this.settings;
    return this.#originOf(host.includes(':') ? `[${host}]` : host);
  }

  /** Starts again at scenario time 0 with empty books; replies under way belong to the round before. */
  reset(): void {
    this.round = this.#newRound();
    this.#metrics.reset();
  }

  /** Takes no more calls, waits for the replies under way, but not for ever, and closes every connection. */
  async drain(limitMs = DRAIN_MS): Promise<void> {
    this.#stopping = true;
    const over = new AbortController();
    this.server.close(() => over.abort());
    await this.pending.drain(limitMs);
    await new WallClock().sleep(CLOSE_MS, over.signal);
    this.server.closeAllConnections();
  }

  /** Ends at once. */
  close(): void {
    this.#stopping = true;
    this.pending.dropAll();
    this.server.close();
    this.server.closeAllConnections();
  }

  #newRound(): Round {
    const { scenario, seed, speed } = this.settings;
    return new Round({ profile: scenario.profile, seed, speed });
  }

  #originOf(name: string): string {
    return `http://${name}:${(this.server.address() as AddressInfo | null)?.port ?? 0}`;
  }

  #server(): Server {
    const server = createServer(
      {
        keepAlive: true,
        maxHeaderSize: MAX_HEADER_BYTES,
        headersTimeout: HEADERS_TIMEOUT_MS,
        requestTimeout: REQUEST_TIMEOUT_MS,
        keepAliveTimeout: IDLE_TIMEOUT_MS,
        connectionsCheckingInterval: CONNECTION_CHECK_MS,
        // Asked for below, where it is counted.
        requireHostHeader: false,
      },
      (request, response) => this.#handle(request, response),
    );
    server.maxConnections = MAX_CONNECTIONS;
    server.on('drop', () => this.refusals.counts.too_many_connections++);
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => this.refusals.socket(socket as Socket, error));
    server.on('checkExpectation', (_, response) => this.refusals.answer(response, 'malformed'));
    server.on('connect', (_, socket) => this.refusals.socket(socket as Socket, new Error('no proxy')));
    return server;
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    // On another speed the date that node would add is not the scenario's.
    response.sendDate = this.settings.speed === 1;
    const path = pathOf(request.url ?? '/');
    const fault = this.#faultOf(request, path);
    if (fault !== undefined) this.refusals.answer(response, fault);
    else if (isControl(path)) this.#control.handle(request, response, path);
    else if (path === '/metrics') this.#metrics.handle(response);
    else this.#call(request, response, path);
  }

  /** What is wrong with any request, whatever it is for. */
  #faultOf({ headers, httpVersionMinor, socket }: IncomingMessage, path: string): AnsweredRefusal | undefined {
    if (headers.host === undefined && httpVersionMinor === 1) return 'malformed';
    if (path.length > MAX_PATH_BYTES) return 'path_too_long';
    if (headers.origin !== undefined && !this.#origins.has(headers.origin)) return 'cross_origin';
    // A page can send a plain GET without an origin; browsers say then what kind of page it was.
    const site = headers['sec-fetch-site'];
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return 'cross_origin';
    return socket.destroyed ? 'malformed' : undefined;
  }

  #call(request: IncomingMessage, response: ServerResponse, path: string): void {
    const { method, headers } = request;
    const book = this.round.bookOf(headers[CLIENT_HEADER]);
    const refusal = this.#callRefusal(method, book);
    if (refusal !== undefined || book === undefined) {
      this.refusals.answer(response, refusal ?? 'client_name');
      return;
    }
    const { round } = this;
    const decide = () => {
      // The body may have taken its time.
      if (this.#stopping) this.refusals.answer(response, 'stopping');
      else round.answer(book, path, parseHost(headers.host), response, this.pending, this.#metrics.latency);
    };
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) decide();
    else this.#readBody(request, response, decide);
  }

  #callRefusal(method: string | undefined, book: ClientBook | undefined): AnsweredRefusal | undefined {
    if (this.#stopping) return 'stopping';
    if (!METHODS.has(method)) return 'method';
    if (book === undefined) return 'client_name';
    if (this.pending.size >= MAX_IN_FLIGHT) return 'too_many_in_flight';
    return this.round.clock.nowMs() >= MAX_MINUTES * MINUTE_MS ? 'too_late' : undefined;
  }

  /** A request is a call when its body is there whole; one that is given up before is none. */
  #readBody(request: IncomingMessage, response: ServerResponse, then: () => void): void {
    if (Number(request.headers['content-length'] ?? 0) > MAX_BODY_BYTES) {
      this.refusals.answer(response, 'body_too_large');
      return;
    }
    let bytes = 0;
    let refused = false;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (refused || bytes <= MAX_BODY_BYTES) return;
      refused = true;
      this.refusals.answer(response, 'body_too_large');
    });
    request.on('end', () => {
      if (!refused && !response.destroyed) then();
    });
  }
}

/** The path of a target; a client that takes us for its proxy sends the whole address. */
function pathOf(target: string): string {
  return target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/]*/i, '') || '/';
}

const isControl = (path: string): boolean => /^\/_storm(?=[/?]|$)/.test(path);
