// What a client is given instead of the world: a clock, a transport, a source of random numbers. A client that takes
// everything from here can not tell simulated time from real time, except through real latency.

import type { ReplyHeaders } from '../platform-sim/wire.ts';

export interface Clock {
  /** Monotonic scenario time in ms, 0 at the start of the night. */
  nowMs(): number;
  /** Calendar time in ms since 1970; may be stepped while nowMs goes on. Undefined when it is not to be trusted. */
  dateMs(): number | undefined;
  /**
   * Resolves after `ms` of scenario time, or at once when the signal aborts.
   * @throws RangeError unless 0 <= ms <= 2^31-1
   */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls `run` once in `ms`, unless the function that it returns is called before.
   * @throws RangeError as sleep does
   */
  after(ms: number, run: () => void): () => void;
}

export type Method = 'GET' | 'HEAD' | 'PUT' | 'DELETE' | 'POST' | 'PATCH';

export interface OutboundRequest {
  /** Name of the client, part of the request id. */
  readonly client: string;
  /** Counts the requests of this client from 1. */
  readonly ordinal: number;
  readonly item: number;
  /** Name of the host asked; the platform's own goes without saying. */
  readonly host: string;
  readonly method: Method;
  readonly idempotencyKey: string | undefined;
}

export interface Reply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly body: string;
}

export interface Transport {
  /**
   * Resolves when the body has been read whole.
   * @throws NoReplyError when no reply came, or the signal aborted before it did
   */
  send(request: OutboundRequest, signal?: AbortSignal): Promise<Reply>;
}

/** A uniform number in [0, 1) for an item and a count; the same arguments give the same number. */
export type Random = (item: number, count: number) => number;
