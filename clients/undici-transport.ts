// HTTP transport: an undici pool. Knows the wire contract and nothing about clocks.

import { type Dispatcher, Pool } from 'undici';
import { NoReplyError } from '../platform-sim/no-reply.ts';
import { DEFAULT_HOST, IDEMPOTENCY_KEY_HEADER, itemPath, REQUEST_ID_HEADER, requestId } from '../platform-sim/wire.ts';
import { PooledClient, type TracedOptions } from './pooled-client.ts';
import type { OutboundRequest, Reply, Transport } from './ports.ts';
import { networkCause } from './transport-errors.ts';

export interface UndiciOptions {
  /** Path of an item; the platform's own when left out. */
  readonly path?: (item: number) => string;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether what a kept connection loses is sent again at once; not when every sending must be a reserved call. */
  readonly replays?: boolean;
}

export class UndiciTransport implements Transport {
  readonly #pool: Pool;
  readonly #path: (item: number) => string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly mayReplay: boolean;
  /** Requests that were sent again over a new connection because a kept one failed in silence: no calls of the client's. */
  replays = 0;

  /**
   * @param origin e.g. `http://127.0.0.1:8080`
   * @param connections sockets at most
   */
  constructor(
    origin: string,
    connections: number,
    { path = itemPath, headers = {}, replays = true }: UndiciOptions = {},
  ) {
    this.#path = path;
    this.#headers = headers;
    this.mayReplay = replays;
    this.#pool = new Pool(origin, {
      connections,
      pipelining: 1,
      keepAliveTimeout: 600_000,
      headersTimeout: 0,
      bodyTimeout: 0,
      factory: (url, options) => new PooledClient(url, options),
    });
  }

  send(request: OutboundRequest, signal?: AbortSignal): Promise<Reply> {
    const { method, idempotencyKey, host } = request;
    const headers: Record<string, string> = {
      ...this.#headers,
      [REQUEST_ID_HEADER]: requestId(request.client, request.ordinal),
    };
    if (idempotencyKey !== undefined) headers[IDEMPOTENCY_KEY_HEADER] = `"${idempotencyKey}"`;
    if (host !== DEFAULT_HOST) headers.host = host;
    return new Promise((resolve, reject) => {
      const exchange = new Exchange(this, resolve, reject, signal);
      const options: TracedOptions = { method, path: this.#path(request.item), headers, exchange };
      this.#pool.dispatch(options, exchange);
    });
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

/** One request under way. Undici's own `request` makes a stream of each reply, which costs a good tenth of a night. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly #transport: UndiciTransport;
  readonly #resolve: (reply: Reply) => void;
  readonly #reject: (error: unknown) => void;
  readonly #signal: AbortSignal | undefined;
  #giveUp: (() => void) | undefined;
  #client: PooledClient | undefined;
  #options: TracedOptions | undefined;
  /** Whether it was written to a connection, and to one that had served before. */
  #sent = false;
  #reused = false;
  #replyBegun = false;
  #replayed = false;
  #status = 0;
  #headers: Record<string, string> = {};
  #body: Buffer | undefined;

  constructor(
    transport: UndiciTransport,
    resolve: (reply: Reply) => void,
    reject: (error: unknown) => void,
    signal: AbortSignal | undefined,
  ) {
    this.#transport = transport;
    this.#resolve = resolve;
    this.#reject = reject;
    this.#signal = signal;
  }

  assigned(client: PooledClient, options: TracedOptions): void {
    this.#client = client;
    this.#options = options;
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#sent = true;
    this.#reused = this.#client?.reused === true;
    const signal = this.#signal;
    if (signal === undefined) return;
    const giveUp = () => controller.abort(signal.reason instanceof Error ? signal.reason : new Error('given up'));
    this.#giveUp = giveUp;
    if (signal.aborted) giveUp();
    else signal.addEventListener('abort', giveUp, { once: true });
  }

  /** The first byte of the reply has come. */
  onResponseStarted(): void {
    this.#replyBegun = true;
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
    if (this.#client !== undefined) this.#client.reused = true;
    this.#resolve({ status: this.#status, headers: this.#headers, body: this.#body?.toString('utf8') ?? '' });
  }

  onResponseError(_controller: unknown, error: Error): void {
    this.#leave();
    const [client, options] = [this.#client, this.#options];
    if (client === undefined || options === undefined || !this.#isStale(client, error))
      this.#reject(this.#noReplyFrom(error));
    else this.#replay(client, options);
  }

  /** Whether the connection had served before and failed without a byte of this reply: the server had most likely left it. */
  #isStale(client: PooledClient, error: Error): boolean {
    if (!this.#transport.mayReplay || this.#replayed || this.#replyBegun || this.#signal?.aborted === true)
      return false;
    const reused = this.#sent ? this.#reused : client.reused;
    return reused && networkCause(error, this.#sent) !== undefined;
  }

  /**
   * Once, at once, and on a new connection, since that of its client is gone. Whatever the method, a POST too (case A23):
   * when a server closes an idle connection while a request is on its way, it has not read it. RFC 9112, 9.3.1, allows the
   * repeat of a POST only to who knows that the first was never applied, and a server that dies after it has read the
   * request looks the same from here. For whom that is one risk too many: an idempotency key.
   */
  #replay(client: PooledClient, options: TracedOptions): void {
    this.#replayed = true;
    this.#transport.replays++;
    // What was written is replayed before undici gives the connection to the next in its queue. What was not yet fails
    // while undici empties its own queue, which nothing may be added to.
    if (this.#sent) client.dispatch(options, this);
    else queueMicrotask(() => client.dispatch(options, this));
  }

  /** The error to throw: an attempt without a reply, or what was thrown when it is none of the network's. */
  #noReplyFrom(error: Error): unknown {
    if (this.#signal?.aborted === true) return new NoReplyError('cancelled', { cause: error });
    // A replay that never arrived says nothing of the first sending.
    const cause = networkCause(error, this.#sent);
    return cause === undefined ? error : new NoReplyError(cause, { cause: error });
  }

  #leave(): void {
    if (this.#giveUp !== undefined) this.#signal?.removeEventListener('abort', this.#giveUp);
  }
}

/** A header that came twice is a list, as RFC 9110, 5.3 joins it. */
export function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  for (const name in headers) {
    const value = headers[name];
    if (Array.isArray(value)) headers[name] = value.join(', ');
  }
  return headers as Record<string, string>;
}
