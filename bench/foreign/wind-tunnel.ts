// Everything that a night of foreign code needs, put together in the thread that the code runs in: the clock, the globals, the
// platform's server, the watch on the sockets, both books.

import { Platform } from '../../platform-sim/platform.ts';
import type { Verdict } from '../../platform-sim/types.ts';
import type { Night } from '../night.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { FOREIGN_DEFAULTS, ForeignClock } from './foreign-clock.ts';
import { ForeignError } from './foreign-error.ts';
import { installHeldWork } from './held-work.ts';
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
  /** Called at every turn, for a watchdog outside of the thread. */
  readonly beat?: () => void;
}

/** Sees every verdict and the end of every request of the client. */
export interface TunnelObserver {
  /** @param ordinal of the client's request; 0 when no library told of it */
  verdict(ordinal: number, nowMs: number, verdict: Verdict): void;
  ended(request: SentRequest): void;
}

/** Resources of the process that mean that something is under way which is not a socket of ours. */
const WORK = /^(FSReq|FileHandle|CloseReq|GetAddrInfo|GetNameInfo|Query|Pipe(Connect|Shutdown|Write)|Random|Zlib)/;

export class WindTunnel {
  readonly clock: ForeignClock;
  readonly book: HttpBook;
  readonly #platform: Platform;
  readonly #front: HttpFront;
  readonly #watch: SocketWatch;
  readonly #settings: TunnelSettings;
  #outside: string | undefined;
  /** Address of the platform, once open. */
  origin = '';

  /** @param observer books by request, where they are wanted */
  constructor(settings: TunnelSettings, observer?: TunnelObserver) {
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
        fault: () => this.fault(),
        settle: () => this.#settle(),
      },
    );
    this.book = new HttpBook(this.clock, (request) => observer?.ended(request));
    const clientOf = (port: number) => {
      const socket = this.#watch.clientOf(port);
      return socket === undefined ? undefined : this.book.arrived(socket);
    };
    this.#front = new HttpFront(this.#platform, this.clock, clientOf, (sent, nowMs, verdict) => {
      // Numbered whether somebody watches or not: that is when the client's book counts it as sent.
      const ordinal = sent === undefined ? 0 : this.book.number(sent);
      observer?.verdict(ordinal, nowMs, verdict);
      if (sent !== undefined) this.book.decided(sent);
    });
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
    installGlobals(this.clock, this.#settings.seed, this.#settings.scenario.task.calendar);
    installHeldWork({
      hold: () => this.clock.hold(),
      release: () => this.clock.release(),
      outside: (what) => {
        this.#outside ??= what;
      },
    });
  }

  #settle(): boolean {
    if (!this.#front.settle()) return false;
    if (this.#front.arrivals >= this.#settings.maxCalls) this.clock.cut('call_limit');
    return true;
  }

  #stillness(): number | undefined {
    this.#settings.beat?.();
    if (process.getActiveResourcesInfo().some((name) => WORK.test(name))) return undefined;
    return this.#watch.stillness();
  }

  #underWay(): string {
    const work = process.getActiveResourcesInfo().filter((name) => WORK.test(name));
    return [...new Set(work), this.#watch.underWay()].filter((text) => text !== '').join(', ');
  }

  /** What breaks the simulation; to be asked at the end too, when no more time goes by to find it. */
  fault(): ForeignError | undefined {
    const { elsewhere } = this.#watch;
    if (elsewhere !== undefined) return new ForeignError('socket_elsewhere', `the client connects to ${elsewhere}`);
    if (this.#outside !== undefined)
      return new ForeignError('outside_process', `${this.#outside} has a time of its own`);
    const resources = process.getActiveResourcesInfo();
    if (resources.includes('UDPWrap')) return new ForeignError('socket_elsewhere', 'the client opens a UDP socket');
    if (resources.includes('Timeout'))
      return new ForeignError(
        'escaped_timer',
        'a timer of the machine is set; it was taken before the client was loaded',
      );
    if (resources.includes('ProcessWrap'))
      return new ForeignError('outside_process', 'a child process has a time of its own');
    return undefined;
  }

  /** The program exits in the middle of a turn: what it has just sent arrives, and its replies are heard by nobody. */
  breakOff(): void {
    this.#front.settle();
    for (const sent of this.book.onTheirWay()) this.#front.arrivesUnheard(sent);
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
