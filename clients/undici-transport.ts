// HTTP transport: an undici pool. Knows the wire contract and nothing about clocks.

import { Pool } from 'undici';
import { NoReplyError } from '../platform-sim/no-reply.ts';
import { IDEMPOTENCY_KEY_HEADER, itemPath, REQUEST_ID_HEADER, requestId } from '../platform-sim/wire.ts';
import type { OutboundRequest, Reply, Transport } from './ports.ts';

export class UndiciTransport implements Transport {
  readonly #pool: Pool;

  /**
   * @param origin e.g. `http://127.0.0.1:8080`
   * @param connections sockets at most
   */
  constructor(origin: string, connections: number) {
    this.#pool = new Pool(origin, {
      connections,
      pipelining: 1,
      keepAliveTimeout: 600_000,
      headersTimeout: 0,
      bodyTimeout: 0,
    });
  }

  async send(request: OutboundRequest, signal?: AbortSignal): Promise<Reply> {
    const { method, idempotencyKey } = request;
    const headers: Record<string, string> = { [REQUEST_ID_HEADER]: requestId(request.client, request.ordinal) };
    if (idempotencyKey !== undefined) headers[IDEMPOTENCY_KEY_HEADER] = `"${idempotencyKey}"`;
    try {
      const reply = await this.#pool.request({ method, path: itemPath(request.item), headers, signal: signal ?? null });
      return { status: reply.statusCode, headers: flat(reply.headers), body: await reply.body.text() };
    } catch (error) {
      throw noReplyFrom(error, signal);
    }
  }

  close(): Promise<void> {
    return this.#pool.destroy();
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
export function noReplyFrom(error: unknown, signal: AbortSignal | undefined): unknown {
  if (signal?.aborted === true) return new NoReplyError('cancelled', { cause: error });
  return CUT.has((error as { code?: unknown }).code) ? new NoReplyError('connection', { cause: error }) : error;
}

/** A header that came twice is a list, as RFC 9110, 5.3 joins it. */
export function flat(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const joined: Record<string, string> = {};
  for (const name in headers) {
    const value = headers[name];
    if (value !== undefined) joined[name] = typeof value === 'string' ? value : value.join(', ');
  }
  return joined;
}
