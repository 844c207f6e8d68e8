// Lockstep for code of ours: real HTTP between a client and a platform in one thread, on simulated time. A hold is on the
// clock while a byte is under way, and requests go over the wire one at a time in the order in which they were sent, so
// that the order of arrival is the order of events and the night is byte for byte the virtual one.

import type { OutboundRequest, Reply, Transport } from '../../clients/ports.ts';
import type { WireWatch } from '../../platform-sim/http-server.ts';
import type { Scheduler } from '../../platform-sim/in-process.ts';
import type { SimulatedClock } from './simulated-clock.ts';

interface Exchange {
  /** Place among events of equal time, taken when the client sent: the reply is due in the order of sending. */
  readonly seq: number;
  readonly start: () => void;
}

export class LockstepWire implements WireWatch, Scheduler {
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

  /** The platform's scheduler: the reply takes the place that was reserved when the request was sent. */
  schedule<T>(delayMs: number, run: (argument: T) => void, argument: T): void {
    if (this.#underWay === undefined)
      throw new Error('a reply was scheduled for a request that was not sent through this wire');
    this.#clock.scheduleReserved(delayMs, this.#underWay.seq, run, argument);
  }

  requestDecided(): void {
    this.#clock.release();
    this.#underWay = this.#waiting.shift();
    this.#underWay?.start();
  }

  replyLeaves(): void {
    this.#clock.hold();
  }

  #send(inner: Transport, request: OutboundRequest, signal: AbortSignal | undefined): Promise<Reply> {
    this.#clock.hold();
    const seq = this.#clock.reserve();
    return new Promise((resolve, reject) => {
      const start = () => {
        inner.send(request, signal).then(
          (reply) => {
            this.#clock.release();
            resolve(reply);
          },
          (error: unknown) => {
            this.#clock.release();
            reject(error);
          },
        );
      };
      const exchange = { seq, start };
      if (this.#underWay === undefined) {
        this.#underWay = exchange;
        start();
      } else this.#waiting.push(exchange);
    });
  }
}
