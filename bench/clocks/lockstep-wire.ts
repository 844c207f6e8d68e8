// Lockstep for code of ours: real HTTP between a client and a platform in one thread, on simulated time. A hold is on the
// clock while a byte is under way, and requests go over the wire one at a time in the order in which they were sent, so
// that the order of arrival is the order of events and the night is byte for byte the virtual one.

import type { OutboundRequest, Reply, Transport } from '../../clients/ports.ts';
import type { ReplySchedule } from '../../platform-sim/http-answer.ts';
import type { SimulatedClock } from './simulated-clock.ts';

interface Exchange {
  /** Place among events of equal time, taken when the client sent: the reply is due in the order of sending. */
  readonly seq: number;
  readonly start: () => void;
  /** Whether a byte of it is under way, and so the clock is held for it. */
  held: boolean;
  /** Tells the platform that nobody waits for the reply; there while the reply is due. */
  drop: (() => void) | undefined;
}

export class LockstepWire implements ReplySchedule {
  readonly #clock: SimulatedClock;
  readonly #waiting: Exchange[] = [];
  #underWay: Exchange | undefined;

  constructor(clock: SimulatedClock) {
    this.#clock = clock;
  }

  /** A transport whose every byte holds the clock. */
  transport(inner: Transport): Transport {
    return { send: (request, signal) => this.#send(inner, request, signal) };
  }

  nowMs(): number {
    return this.#clock.nowMs();
  }

  /** The platform has decided: the reply takes the place that was reserved when the request was sent. */
  reply(delayMs: number, send: () => void, drop: () => void): void {
    const exchange = this.#underWay;
    if (exchange === undefined)
      throw new Error('a reply was scheduled for a request that was not sent through this wire');
    exchange.drop = drop;
    const due = () => {
      if (exchange.drop === undefined) return;
      exchange.drop = undefined;
      this.#hold(exchange);
      send();
    };
    this.#clock.scheduleReserved(delayMs, exchange.seq, due, undefined);
    this.#release(exchange);
    this.#startNext();
  }

  #send(inner: Transport, request: OutboundRequest, signal: AbortSignal | undefined): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const start = () => {
        inner.send(request, signal).then(
          (reply) => {
            this.#release(exchange);
            resolve(reply);
          },
          (error: unknown) => {
            this.#giveUp(exchange);
            reject(error);
          },
        );
      };
      const exchange: Exchange = { seq: this.#clock.reserve(), start, held: false, drop: undefined };
      this.#hold(exchange);
      if (this.#underWay === undefined) {
        this.#underWay = exchange;
        start();
      } else this.#waiting.push(exchange);
    });
  }

  /** The client hears no more of it, whether its request was under way, its reply due, or its reply under way. */
  #giveUp(exchange: Exchange): void {
    exchange.drop?.();
    exchange.drop = undefined;
    this.#release(exchange);
    if (this.#underWay === exchange) this.#startNext();
  }

  #startNext(): void {
    this.#underWay = this.#waiting.shift();
    this.#underWay?.start();
  }

  #hold(exchange: Exchange): void {
    exchange.held = true;
    this.#clock.hold();
  }

  /** An exchange that breaks while its reply is not due yet holds nothing. */
  #release(exchange: Exchange): void {
    if (!exchange.held) return;
    exchange.held = false;
    this.#clock.release();
  }
}
