// Everything that a night of foreign code needs, put together in the thread that the code runs in: the clock, the globals, the
// platform's server, the watch on the sockets, both books.

import { Platform } from '../../platform-sim/platform.ts';
import type { Night } from '../night.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { FOREIGN_DEFAULTS, ForeignClock } from './foreign-clock.ts';
import { ForeignError } from './foreign-error.ts';
import { HttpBook, type SentRequest } from './http-book.ts';
import { HttpFront } from './http-front.ts';
import { installGlobals } from './install-globals.ts';
import { SocketWatch } from './socket-watch.ts';

export interface TunnelSettings {
  readonly scenario: Scenario;
  readonly seed: number;
  /** Hosts under which the client calls the platform, besides its address. */
  readonly hosts: readonly string[];
  readonly quietTurns?: number;
  readonly patienceMs?: number;
  readonly maxCalls: number;
}

/** Resources of the process that mean that something is under way which is not a socket of ours. */
const WORK = /^(FS|GetAddrInfo|GetNameInfo|Query|Pipe(Connect|Shutdown|Write)|FileHandle|Random|Zlib)/;
const OUTSIDE = /^(Process(Wrap)?|Worker)$/;

export class WindTunnel {
  readonly clock: ForeignClock;
  readonly book: HttpBook;
  readonly #platform: Platform;
  readonly #front: HttpFront;
  readonly #watch: SocketWatch;
  readonly #settings: TunnelSettings;
  /** Address of the platform, once open. */
  origin = '';

  constructor(settings: TunnelSettings, ended: (request: SentRequest) => void) {
    const { scenario, seed, hosts, quietTurns, patienceMs } = settings;
    this.#settings = settings;
    this.#platform = new Platform(scenario.profile, seed);
    this.#watch = new SocketWatch(hosts);
    this.clock = new ForeignClock(
      {
        epochMs: scenario.profile.epochMs,
        startMs: scenario.task.clientStartMs,
        limitMs: scenario.limits.scenarioTimeMs,
        quietTurns: quietTurns ?? FOREIGN_DEFAULTS.quietTurns,
        patienceMs: patienceMs ?? FOREIGN_DEFAULTS.patienceMs,
      },
      {
        stillness: () => this.#stillness(),
        underWay: () => this.#underWay(),
        fault: () => this.#fault(),
        settle: () => this.#front.settle(),
      },
    );
    this.book = new HttpBook(this.clock, ended);
    const clientOf = (port: number) => {
      const socket = this.#watch.clientOf(port);
      return socket === undefined ? undefined : this.book.arrived(socket);
    };
    this.#front = new HttpFront(this.#platform, this.clock, clientOf, { verdict: () => undefined });
  }

  /** Opens the platform on a free port of the loopback interface and replaces the globals of this thread. */
  async open(): Promise<void> {
    const { server } = this.#front;
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(0, '127.0.0.1', resolve);
    });
    server.unref();
    this.#watch.serve(server);
    const address = server.address();
    this.origin = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
    this.#watch.install();
    this.book.install();
    installGlobals(this.clock, this.#settings.seed);
  }

  #stillness(): number | undefined {
    if (process.getActiveResourcesInfo().some((name) => WORK.test(name))) return undefined;
    return this.#watch.stillness();
  }

  #underWay(): string {
    const work = process.getActiveResourcesInfo().filter((name) => WORK.test(name));
    return [...new Set(work), this.#watch.underWay()].filter((text) => text !== '').join(', ');
  }

  #fault(): ForeignError | undefined {
    const { elsewhere } = this.#watch;
    if (elsewhere !== undefined) return new ForeignError('socket_elsewhere', `the client connects to ${elsewhere}`);
    if (this.#front.arrivals > this.#settings.maxCalls)
      return new ForeignError('too_many_calls', `more than ${this.#settings.maxCalls} calls`);
    const resources = process.getActiveResourcesInfo();
    if (resources.includes('Timeout'))
      return new ForeignError(
        'escaped_timer',
        'a timer of the machine is set; it was taken before the client was loaded',
      );
    const outside = resources.find((name) => OUTSIDE.test(name));
    if (outside !== undefined) return new ForeignError('outside_process', `${outside} has a time of its own`);
    return undefined;
  }

  /** Closes both books; what is under way counts as unheard on both sides. */
  close(): void {
    this.#front.close();
    this.book.close();
  }

  /** The platform's half of a night. */
  platformBook(): Night['platform'] {
    const { meter } = this.#platform;
    return { minutes: meter.rows(), quotaGoneMs: meter.quotaGoneMs, callsAfterQuota: meter.callsAfterQuota };
  }
}
