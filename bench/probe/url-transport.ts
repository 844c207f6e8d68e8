// A transport for somebody's endpoint: one URL, whatever the item, with headers that are sent and never written down.

import { Pool } from 'undici';
import type { OutboundRequest, Reply, Transport } from '../../clients/ports.ts';
import { networkCause } from '../../clients/transport-errors.ts';
import { flat } from '../../clients/undici-transport.ts';
import { NoReplyError } from '../../platform-sim/no-reply.ts';

/** Bytes of a body that are read; a longer one is cut, and so fails a check that needs its end. */
const MAX_BODY = 1_000_000;

export class UrlTransport implements Transport {
  readonly #pool: Pool;
  readonly #path: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #failures = new Set<string>();

  constructor(target: URL, connections: number, headers: Readonly<Record<string, string>>) {
    this.#pool = new Pool(target.origin, { connections, pipelining: 1 });
    this.#path = `${target.pathname}${target.search}`;
    this.#headers = headers;
  }

  async send({ method }: OutboundRequest, signal?: AbortSignal): Promise<Reply> {
    try {
      const reply = await this.#pool.request({
        method,
        path: this.#path,
        headers: { ...this.#headers },
        signal: signal ?? null,
      });
      return { status: reply.statusCode, headers: flat(reply.headers), body: await bounded(reply.body) };
    } catch (error) {
      // Of somebody else's endpoint every failure is one of the connection; when it is no HTTP at all, it may have acted.
      const cancelled = signal?.aborted === true;
      this.#failures.add(cancelled ? 'given up' : reasonOf(error));
      const cause = cancelled ? 'cancelled' : (networkCause(error, undefined) ?? 'reset');
      throw new NoReplyError(cause, { cause: error });
    }
  }

  /** Why attempts had no reply, each reason once. */
  get failures(): readonly string[] {
    return [...this.#failures];
  }

  close(): Promise<void> {
    return this.#pool.destroy();
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return String(code ?? message).split('\n')[0] ?? 'unknown';
}

async function bounded(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > MAX_BODY) break;
  }
  return Buffer.concat(chunks).toString('utf8');
}
