// HTTP transport: an undici pool. Knows the wire contract and nothing about clocks.

import { type Dispatcher, Pool } from 'undici';
import { NoReplyError } from '../platform-sim/no-reply.ts';
import {
  CLIENT_HEADER,
  DEFAULT_HOST,
  IDEMPOTENCY_KEY_HEADER,
  itemPath,
  REQUEST_ID_HEADER,
  requestId,
} from '../platform-sim/wire.ts';
import type { OutboundRequest, Reply, Transport } from './ports.ts';

export class UndiciTransport implements Transport {
  readonly #pool: Pool;
  readonly #namesClient: boolean;

  /**
   * @param origin e.g. `http://127.0.0.1:8080`
   * @param connections sockets at most
   * @param namesClient whether each request says whose it is, for a platform that several clients share
   */
  constructor(origin: string, connections: number, namesClient = false) {
    this.#namesClient = namesClient;
    this.#pool = new Pool(origin, {
      connections,
      pipelining: 1,
      keepAliveTimeout: 600_000,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  send(request: OutboundRequest, signal?: AbortSignal): Promise<Reply> {
    const { method, idempotencyKey, host } = request;
    const headers: Record<string, string> = { [REQUEST_ID_HEADER]: requestId(request.client, request.ordinal) };
    if (idempotencyKey !== undefined) headers[IDEMPOTENCY_KEY_HEADER] = `"${idempotencyKey}"`;
    if (host !== DEFAULT_HOST) headers.host = host;
    if (this.#namesClient) headers[CLIENT_HEADER] = request.client;
    return new Promise((resolve, reject) => {
      const exchange = new Exchange(resolve, reject, signal);
      this.#pool.dispatch({ method, path: itemPath(request.item), headers }, exchange);
    });
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

/** One request under way. Undici's own `request` makes a stream of each reply, which costs a good tenth of a night. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #resolve: (reply: Reply) => void;
  readonly #reject: (error: unknown) => void;
  readonly #signal: AbortSignal | undefined;
  #giveUp: (() => void) | undefined;
  #status = 0;
  #headers: Record<string, string> = {};
  #body: Buffer | undefined;

  constructor(resolve: (reply: Reply) => void, reject: (error: unknown) => void, signal: AbortSignal | undefined) {
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = signal;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    const signal = this.#signal;
    if (signal === undefined) return;
    const giveUp = () => controller.abort(signal.reason instanceof Error ? signal.reason : new Error('given up'));
    this.#giveUp = giveUp;
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  }

  onResponseStart(_controller: unknown, status: number, headers: Record<string, string | string[] | undefined>): void {
    this.#status = status;
    this.#headers = flat(headers);
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    // The chunk may be a view of memory that the parser uses again.
    this.#body = this.#body === undefined ? Buffer.from(chunk) : Buffer.concat([this.#body, chunk]);
  }

  onResponseEnd(): void {
    this.#leave();
    this.#resolve({ status: this.#status, headers: this.#headers, body: this.#body?.toString('utf8') ?? '' });
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#leave();
    this.#reject(noReplyFrom(error, this.#signal));
  }

  #leave(): void {
    if (this.#giveUp !== undefined) this.#signal?.removeEventListener('abort', this.#giveUp);
  }
}

/** Errors that say that the connection was cut or could not be made. */
const CUT: ReadonlySet<unknown> = new Set([
  'UND_ERR_SOCKET',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_ABORTED',
  'ECONNRESET',
  'ECONNREFUSED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
]);

/** The error to throw: an attempt without a reply, or what was thrown when it is none of the connection's. */
function noReplyFrom(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) return new NoReplyError('cancelled', { cause: error });
  return CUT.has((error as { code?: unknown }).code) ? new NoReplyError('connection', { cause: error }) : error;
}

/** A header that came twice is a list, as RFC 9110, 5.3 joins it. */
export function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  for (const name in headers) {
    const value = headers[name];
    if (Array.isArray(value)) headers[name] = value.join(', ');
  }
  return headers as Record<string, string>;
}
