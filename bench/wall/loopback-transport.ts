// The way from a client to its platform on the same machine. No fault of the scenario refuses a connection, so one that is not
// made is a failure of the machine and ends the night; and at the end of a drain what is still under way is cut.

import type { OutboundRequest, Reply, Transport } from '../../clients/ports.ts';
import { UndiciTransport } from '../../clients/undici-transport.ts';
import { NoReplyError } from '../../platform-sim/no-reply.ts';
import { DEFAULT_HOST } from '../../platform-sim/wire.ts';
import { codeOf, machineFault, WallFault } from './wall-fault.ts';

const WARM_UP_ROUNDS = 20;

type Inner = Transport & { close(): Promise<void> };

export class LoopbackTransport implements Transport {
  readonly #inner: Inner;
  #cut = false;

  constructor(url: string, connections: number, inner: Inner = new UndiciTransport(url, connections)) {
    this.#inner = inner;
  }

  async send(request: OutboundRequest, signal?: AbortSignal): Promise<Reply> {
    try {
      return await this.#inner.send(request, signal);
    } catch (error) {
      if (this.#cut) throw new NoReplyError('cancelled', { cause: error });
      throw refused(error) ?? error;
    }
  }

  /**
   * Makes the connections and has both threads do once what they will do all night: the first requests of a cold process
   * take ten times as long. They carry no request id, so the platform answers 404 and counts nothing.
   */
  async warmUp(connections: number): Promise<void> {
    const nothing = { client: '', item: 0, host: DEFAULT_HOST, method: 'GET', idempotencyKey: undefined } as const;
    for (let round = 1; round <= WARM_UP_ROUNDS; round++) {
      const requests = Array.from({ length: connections }, () => this.send({ ...nothing, ordinal: round }));
      await Promise.all(requests);
    }
  }

  /** Gives up everything that is under way. */
  cut(): Promise<void> {
    this.#cut = true;
    return this.#inner.close();
  }

  close(): Promise<void> {
    return this.#inner.close();
  }
}

function refused(error: unknown): WallFault | undefined {
  const code = codeOf(error);
  if (error instanceof NoReplyError && (error.why === 'cancelled' || error.why === 'reset')) return undefined;
  const words =
    machineFault(code) ?? (error instanceof NoReplyError ? `the platform can not be reached (${code})` : undefined);
  return words === undefined ? undefined : new WallFault(words);
}
