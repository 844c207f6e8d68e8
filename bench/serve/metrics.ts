// What Prometheus is told of a served platform. Counters are read off the books when they are asked for, so that a call costs them
// nothing; only the latency is recorded as it happens.

import type { ServerResponse } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { VERDICT_CLASSES } from '../../platform-sim/types.ts';
import type { PlatformServer } from './platform-server.ts';
import { quotaOf } from './served-ledger.ts';

const BUCKETS_S = [0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.5, 1, 2.5, 5, 10, 30, 60];

type Labelled = readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[];

export class Metrics {
  readonly #registry = new Registry();
  readonly #latency: Histogram;

  constructor(served: PlatformServer) {
    const registers = [this.#registry];
    collectDefaultMetrics({ register: this.#registry });
    this.#latency = new Histogram({
      name: 'storm_reply_seconds',
      help: 'Scenario time from a request being read to its reply being handed over',
      buckets: BUCKETS_S,
      registers,
    });
    this.#counters(served);
    this.#gauges(served);
  }

  /** Records the latency of a reply, in ms of scenario time. */
  readonly latency = (ms: number): void => this.#latency.observe(ms / 1000);

  reset(): void {
    this.#latency.reset();
  }

  handle(response: ServerResponse): void {
    this.#registry.metrics().then(
      (text) => {
        const length = Buffer.byteLength(text);
        response.writeHead(200, { 'content-type': this.#registry.contentType, 'content-length': length }).end(text);
      },
      // A metric that can not be read is ours to repair; the platform goes on.
      () => response.writeHead(500, { connection: 'close' }).end(),
    );
  }

  #counters(served: PlatformServer): void {
    const clients = () => [...served.round.clients];
    this.#counter('storm_calls_total', 'Calls that the platform decided on', ['client', 'class'], () =>
      clients().flatMap(([client, { calls }]) =>
        VERDICT_CLASSES.map((name) => [{ client, class: name }, calls[name]] as const),
      ),
    );
    this.#counter('storm_billed_total', 'Calls that were billed', ['client'], () =>
      clients().map(([client, { billed }]) => [{ client }, billed]),
    );
    this.#counter('storm_unheard_total', 'Replies that reached nobody', ['client'], () =>
      clients().map(([client, { unheard }]) => [{ client }, unheard]),
    );
    const early = 'Calls before the time that the platform had told for the same thing';
    this.#counter('storm_early_retries_total', early, ['client'], () =>
      clients().map(([client, { earlyRetries }]) => [{ client }, earlyRetries]),
    );
    this.#counter('storm_refused_total', 'Requests refused before they were calls', ['reason'], () =>
      Object.entries(served.refusals.counts).map(([reason, count]) => [{ reason }, count]),
    );
  }

  #counter(name: string, help: string, labelNames: string[], read: () => Labelled): void {
    new Counter({
      name,
      help,
      labelNames,
      registers: [this.#registry],
      collect() {
        this.reset();
        for (const [labels, value] of read()) this.inc(labels, value);
      },
    });
  }

  #gauges(served: PlatformServer): void {
    this.#gauge('storm_replies_in_flight', 'Requests that wait for their reply', () => served.pending.size);
    this.#gauge('storm_scenario_seconds', 'Scenario time', () => served.round.clock.nowMs() / 1000);
    this.#gauge('storm_connections', 'Open connections, this one included', () => connections(served));
    const { calls } = quotaOf(served.settings.scenario) ?? {};
    if (calls === undefined) return;
    const billed = () => [...served.round.clients.values()].reduce((sum, book) => sum + book.billed, 0);
    this.#gauge('storm_quota_left', 'Calls left of the quota', () => calls - billed());
  }

  #gauge(name: string, help: string, read: () => number | Promise<number>): void {
    new Gauge({
      name,
      help,
      registers: [this.#registry],
      async collect() {
        this.set(await read());
      },
    });
  }
}

const connections = ({ server }: PlatformServer): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
