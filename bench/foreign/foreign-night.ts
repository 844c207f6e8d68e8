// A night of a client module: foreign code, unmodified, in this thread. The thread is spent afterwards, since its globals are
// replaced.

import type { ClientModule, ItemFunction, ItemRequest } from '../../clients/contestants/contract.ts';
import { ItemSet } from '../../clients/item-set.ts';
import { type Outcome, outcomeOf } from '../../clients/outcome.ts';
import { Lanes } from '../../clients/schedulers/lanes.ts';
import { itemPath } from '../../platform-sim/wire.ts';
import type { Night } from '../night.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { ForeignError } from './foreign-error.ts';
import { WindTunnel } from './wind-tunnel.ts';

export interface ForeignSpec {
  readonly scenario: Scenario;
  readonly seed: number;
  /** Name of the client in the books. */
  readonly client: string;
  /** Address of its module. */
  readonly module: string;
  readonly method: 'GET' | 'POST';
  /** Items asked for at once, when the module is a function for one item. */
  readonly concurrency: number;
  readonly quietTurns?: number;
  readonly patienceMs?: number;
  readonly maxCalls: number;
}

export interface ForeignNight {
  readonly night: Night;
  /** How items ended: `done`, or code or name of the error with which the client gave up. */
  readonly endings: Readonly<Record<string, number>>;
  /** Scenario time from asking for an item to having it, of those that were done, in order of ending. */
  readonly itemMs: readonly number[];
}

/** Kinds of endings that are told apart; the rest is `other`. */
const MAX_ENDINGS = 40;

/** @throws ForeignError when the night can not be trusted */
export async function runForeignNight(spec: ForeignSpec): Promise<ForeignNight> {
  const { scenario, seed } = spec;
  const tunnel = new WindTunnel({ ...spec, scenario, seed, hosts: [] }, () => undefined);
  await tunnel.open();
  const run = new ModuleRun(spec, tunnel);
  try {
    const module = (await import(spec.module)) as ClientModule;
    await new Promise<void>((resolve, reject) => {
      tunnel.clock.start((error) => (error === undefined ? resolve() : reject(error)));
      run.start(module).then(
        () => tunnel.clock.stop(),
        (error: unknown) => tunnel.clock.stop(error instanceof Error ? error : new Error(String(error))),
      );
    });
  } finally {
    tunnel.close();
  }
  return run.result();
}

class ModuleRun {
  readonly #spec: ForeignSpec;
  readonly #tunnel: WindTunnel;
  readonly #done: ItemSet;
  readonly #abandoned: ItemSet;
  readonly #endings: Record<string, number> = {};
  readonly #itemMs: number[] = [];
  readonly #outcomes: Record<Outcome, number> = { success: 0, failure: 0, unknown: 0, not_sent: 0 };
  #begun = 0;

  constructor(spec: ForeignSpec, tunnel: WindTunnel) {
    this.#spec = spec;
    this.#tunnel = tunnel;
    this.#done = new ItemSet(spec.scenario.task.items);
    this.#abandoned = new ItemSet(spec.scenario.task.items);
  }

  async start(module: ClientModule): Promise<void> {
    const { items } = this.#spec.scenario.task;
    const { origin } = this.#tunnel;
    if (module.task !== undefined) {
      await module.task({ items, origin, itemUrl: (item) => origin + itemPath(item) });
      return;
    }
    const client = module.default;
    if (typeof client !== 'function') throw new Error('the module exports neither a default function nor task()');
    const lanes = new Lanes(this.#spec.concurrency);
    await lanes.pass(
      1,
      items,
      () => true,
      (item) => this.#item(client, item),
    );
    lanes.close();
  }

  async #item(client: ItemFunction, item: number): Promise<void> {
    const { clock, origin } = this.#tunnel;
    const { method, scenario } = this.#spec;
    await new Promise<void>((resolve) => clock.schedule(scenario.task.prepMs, resolve));
    const begunMs = clock.nowMs();
    this.#begun++;
    const request: ItemRequest = { item, url: origin + itemPath(item), origin, method };
    try {
      await client(request);
      this.#done.add(item);
      this.#itemMs.push(clock.nowMs() - begunMs);
      this.#end('done', 'success');
    } catch (error) {
      this.#abandoned.add(item);
      const last = this.#tunnel.book.lastOf.get(item);
      const stop = { kind: 'stop', reason: 'attempts_exhausted', scope: 'operation' } as const;
      this.#end(endingOf(error), outcomeOf({ method, idempotencyKey: undefined }, stop, last));
    }
  }

  #end(ending: string, outcome: Outcome): void {
    this.#outcomes[outcome]++;
    const known = this.#endings[ending] !== undefined || Object.keys(this.#endings).length < MAX_ENDINGS;
    const name = known ? ending : 'other';
    this.#endings[name] = (this.#endings[name] ?? 0) + 1;
  }

  result(): ForeignNight {
    const { scenario, client, seed } = this.#spec;
    const { clock, book } = this.#tunnel;
    const { items, clientStartMs } = scenario.task;
    const done = this.#done.size;
    const abandoned = this.#abandoned.size;
    const night: Night = {
      scenario: scenario.name,
      scenarioHash: scenario.hash,
      strategy: client,
      seed,
      clock: 'lockstep',
      platform: this.#tunnel.platformBook(),
      client: { minutes: book.tally.rows(), waits: {}, progress: [] },
      items: { total: items, done, abandoned, unfinished: items - done - abandoned },
      operations: { begun: this.#begun, ...this.#outcomes },
      earlyRetries: book.tally.earlyRetries,
      stopReason: done === items ? 'done' : 'attempts_exhausted',
      startedMs: clientStartMs,
      endedMs: clock.nowMs(),
    };
    return { night, endings: this.#endings, itemMs: this.#itemMs };
  }
}

/** Code of the error, or else its name: what a log would be searched for. */
function endingOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' ? code : error.name;
}
