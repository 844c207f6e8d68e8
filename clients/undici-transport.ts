// HTTP transport: an undici pool. Knows the wire contract and nothing about clocks.

import { Pool } from 'undici';
import { itemPath, REQUEST_ID_HEADER, requestId } from '../platform-sim/wire.ts';
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
    const { statusCode, headers, body } = await this.#pool.request({
      method: 'GET',
      path: itemPath(request.item),
      headers: { [REQUEST_ID_HEADER]: requestId(request.client, request.ordinal) },
      signal: signal ?? null,
    });
    const text = await body.text();
    return { status: statusCode, headers: headers as Record<string, string>, body: text };
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}
