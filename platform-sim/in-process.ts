// Adapter without sockets: a request is decided where it is sent, and its reply is an event of the clock. The twin of
// http-server.ts; both call the same decide.

import { NoReplyError } from './no-reply.ts';
import type { Platform } from './platform.ts';
import type { PlatformRequest, Verdict } from './types.ts';
import { ReplyEncoder, type WireReply } from './wire.ts';

/** The part of a simulated clock that an adapter needs. */
export interface Scheduler {
  nowMs(): number;
  /** Calls `run(argument)` once, `delayMs` from now; equal times run in the order in which they were asked for. */
  schedule<T>(delayMs: number, run: (argument: T) => void, argument: T): void;
}

interface InProcessRequest {
  readonly client: string;
  readonly ordinal: number;
  readonly item: number | undefined;
  readonly host?: string | undefined;
}

/** Told of every verdict when it is given: the platform's half of the ledger by request. */
export type VerdictObserver = (
  client: string,
  ordinal: number,
  nowMs: number,
  verdict: Verdict,
  request: PlatformRequest,
) => void;

// The resolver of the promise that is being made, for want of a closure a request.
let captured: (reply: WireReply) => void = () => {};
const capture = (resolve: (reply: WireReply) => void): void => {
  captured = resolve;
};

export class InProcessTransport {
  readonly #platform: Platform;
  readonly #scheduler: Scheduler;
  readonly #observe: VerdictObserver | undefined;
  readonly #encoder = new ReplyEncoder();

  constructor(platform: Platform, scheduler: Scheduler, observe?: VerdictObserver) {
    this.#platform = platform;
    this.#scheduler = scheduler;
    this.#observe = observe;
  }

  send(request: InProcessRequest, signal?: AbortSignal): Promise<WireReply> {
    if (signal?.aborted === true) return Promise.reject(new NoReplyError('cancelled'));
    const nowMs = this.#scheduler.nowMs();
    const verdict = this.#platform.decide(request, nowMs);
    this.#observe?.(request.client, request.ordinal, nowMs, verdict, request);
    const reply = this.#encoder.encode(verdict);
    if (signal !== undefined || verdict.lost) return this.#sendUnsurely(verdict, reply, nowMs, signal);
    const receiving = new Promise<WireReply>(capture);
    this.#scheduler.schedule(verdict.latencyMs, captured, reply);
    return receiving;
  }

  /** A reply that may not arrive: the connection breaks, or the client gives up first. */
  #sendUnsurely(
    verdict: Verdict,
    reply: WireReply,
    arrivedMs: number,
    signal: AbortSignal | undefined,
  ): Promise<WireReply> {
    return new Promise((resolve, reject) => {
      let over = false;
      const miss = (why: 'cancelled' | 'reset') => {
        over = true;
        this.#platform.meter.countUnheard(arrivedMs, verdict);
        reject(new NoReplyError(why));
      };
      const giveUp = () => miss('cancelled');
      const arrive = () => {
        if (over) return;
        signal?.removeEventListener('abort', giveUp);
        if (verdict.lost) miss('reset');
        else resolve(reply);
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.#scheduler.schedule(verdict.latencyMs, arrive, undefined);
    });
  }
}
