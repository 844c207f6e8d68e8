// The two threads of one night on real time, as the main thread sees them. Whatever ends a thread before it has reported its
// book fails the night, and says what is missing.

import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { TIME_LIMIT } from '../clocks/simulated-clock.ts';
import type { ClientBook, PlatformBook } from '../night.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { LiveCounts } from './live-counts.ts';
import type { Order, Report, WallJob } from './messages.ts';
import { codeOf, machineFault, WallFault } from './wall-fault.ts';
import type { WorkerHealth } from './worker-health.ts';

export const ROLES = ['platform', 'client'] as const;
export type Role = (typeof ROLES)[number];

export interface PairSpec {
  readonly scenario: Scenario;
  readonly strategy: string;
  readonly seed: number;
  readonly speed: number;
  /** Folder for the client's logs and, for a while, the records of both; must exist. */
  readonly folder: string;
}

export interface PairReports {
  readonly platform: { readonly book: PlatformBook; readonly health: WorkerHealth };
  readonly client: { readonly book: ClientBook; readonly health: WorkerHealth };
}

type Kind = Report['kind'];
type Of<K extends Kind> = Extract<Report, { kind: K }>;

export class ThreadPair {
  readonly spec: PairSpec;
  readonly live: LiveCounts;
  readonly records: Readonly<Record<Role, string>>;
  readonly #threads: Readonly<Record<Role, Worker>>;
  readonly #waiting = new Map<string, (report: Report) => void>();
  readonly #over = new Set<Role>();
  #fail: (error: Error) => void = () => {};
  readonly #failed: Promise<never>;

  constructor(spec: PairSpec) {
    this.spec = spec;
    const memory = LiveCounts.memory();
    this.live = new LiveCounts(memory);
    this.records = { platform: join(spec.folder, '.platform.jsonl'), client: join(spec.folder, '.client.jsonl') };
    this.#failed = new Promise<never>((_, reject) => {
      this.#fail = reject;
    });
    // It may come while nobody waits; who waits next is told.
    this.#failed.catch(() => undefined);
    const start = (role: Role) => {
      const { scenario, strategy, seed, speed, folder } = spec;
      const job: WallJob = { scenario, strategy, seed, speed, folder, records: this.records[role], live: memory };
      const worker = new Worker(new URL(`./${role}-worker.js`, import.meta.url), { workerData: job });
      worker.on('message', (report: Report) => this.#hear(role, report));
      worker.once('error', (error) => this.#fail(this.#fault(role, codeOf(error), error.message)));
      worker.once('exit', (code) => {
        if (!this.#over.has(role))
          this.#fail(this.#fault(role, undefined, `ended with code ${code} before its night did`));
      });
      return worker;
    };
    this.#threads = { platform: start('platform'), client: start('client') };
  }

  /** Both threads have loaded what they need. */
  async ready(): Promise<void> {
    await Promise.all(ROLES.map((role) => this.#next(role, 'ready')));
  }

  /** Runs the night from `originMs`; resolves when both books are closed. */
  async run(originMs: number): Promise<PairReports> {
    this.#tell('platform', { kind: 'start', originMs });
    const { url } = await this.#next('platform', 'listening');
    this.#tell('client', { kind: 'start', originMs, url });
    const client = await this.#next('client', 'client');
    this.#over.add('client');
    this.#tell('platform', { kind: 'stop' });
    const platform = await this.#next('platform', 'platform');
    this.#over.add('platform');
    return { platform, client };
  }

  drain(limitMs: number): void {
    this.#tell('client', { kind: 'drain', limitMs });
  }

  /** Ends the threads, whatever they do. */
  async end(): Promise<void> {
    for (const role of ROLES) this.#over.add(role);
    await this.kill('platform');
    await this.kill('client');
  }

  async kill(role: Role): Promise<void> {
    await this.#threads[role].terminate();
  }

  #tell(role: Role, order: Order): void {
    this.#threads[role].postMessage(order);
  }

  #next<K extends Kind>(role: Role, kind: K): Promise<Of<K>> {
    const heard = new Promise<Report>((resolve) => this.#waiting.set(`${role} ${kind}`, resolve));
    return Promise.race([heard as Promise<Of<K>>, this.#failed]);
  }

  #hear(role: Role, report: Report): void {
    if (report.kind === 'error') this.#fail(this.#fault(role, report.code, report.message));
    else this.#waiting.get(`${role} ${report.kind}`)?.(report);
  }

  /** What happened, in one line, and what is missing for it. */
  #fault(role: Role, code: string | undefined, what: string): Error {
    const { scenario, strategy, seed } = this.spec;
    if (what.startsWith(TIME_LIMIT)) return new Error(what);
    const { done, abandoned } = this.live.read();
    const total = scenario.task.items;
    const left = total - done - abandoned;
    const missing = `${strategy}, seed ${seed}: ${left} of ${total} items are unaccounted for`;
    return new WallFault(`the ${role} thread failed: ${machineFault(code) ?? what}; ${missing}`);
  }
}
