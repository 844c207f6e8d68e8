// A client module in the wind tunnel: foreign code, unmodified, in this thread. The thread is spent afterwards, since its
// globals are replaced.

import type { ClientModule, ItemFunction } from '../../clients/contestants/contract.ts';
import { ItemSet } from '../../clients/item-set.ts';
import type { Outcome } from '../../clients/outcome.ts';
import { Lanes } from '../../clients/schedulers/lanes.ts';
import { itemPath } from '../../platform-sim/wire.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { clientMistake, textOf } from './client-mistake.ts';
import { ForeignError } from './foreign-error.ts';
import {
  type ForeignMethod,
  type ForeignNight,
  foreignNight,
  type ItemBook,
  itemsFromBook,
  outcomeOfResource,
} from './foreign-night.ts';
import { type TunnelObserver, WindTunnel } from './wind-tunnel.ts';

export interface ForeignSpec {
  readonly scenario: Scenario;
  readonly seed: number;
  /** Name of the client in the books. */
  readonly client: string;
  /** Address (`file:`) of its module. */
  readonly module: string;
  readonly method: ForeignMethod;
  /** Items asked for at once, when the module is a function for one item. */
  readonly concurrency: number;
  readonly quietTurns?: number;
  readonly patienceMs?: number;
  readonly maxCalls: number;
}

/** How an item ends that the client has. */
const DONE = 'done';
/** The client says that an item is done, and no success ever came. */
class Unfounded extends Error {
  readonly code = 'done without a success';
}

/** Kinds of endings that are told apart; the rest is `other`. */
const MAX_ENDINGS = 40;
/** Characters of one. */
const MAX_ENDING = 80;

/**
 * @param beat called often while the thread lives
 * @throws ForeignError when the night can not be trusted
 */
export async function runModule(
  spec: ForeignSpec,
  observer?: TunnelObserver,
  beat?: () => void,
): Promise<ForeignNight> {
  const tunnel = new WindTunnel({ ...spec, hosts: [], ...(beat === undefined ? {} : { beat }) }, observer);
  await tunnel.open();
  const run = new ModuleRun(spec, tunnel);
  try {
    await new Promise<void>((resolve, reject) => {
      tunnel.clock.start((error) => (error === undefined ? resolve() : reject(error)));
      run.start().then(
        () => tunnel.clock.finish(),
        (error: unknown) => tunnel.clock.stop(error instanceof Error ? error : new Error(String(error))),
      );
      // Nothing is left that could settle what the module waits for at its top level.
      process.once('beforeExit', () =>
        tunnel.clock.stop(new ForeignError('stalled', 'the module is not loaded, and nothing is due')),
      );
    });
  } finally {
    tunnel.close();
  }
  return { ...foreignNight(spec, tunnel, run.items()), ...(run.error === undefined ? {} : { error: run.error }) };
}

class ModuleRun {
  readonly #spec: ForeignSpec;
  readonly #tunnel: WindTunnel;
  readonly #done: ItemSet;
  readonly #abandoned: ItemSet;
  readonly #endings = new Map<string, number>();
  readonly #itemMs: number[] = [];
  readonly #outcomes: Record<Outcome, number> = { success: 0, failure: 0, unknown: 0, not_sent: 0 };
  #begun = 0;
  #wholeTask = false;
  /** With which a whole task gave up. */
  error: string | undefined;

  constructor(spec: ForeignSpec, tunnel: WindTunnel) {
    this.#spec = spec;
    this.#tunnel = tunnel;
    this.#done = new ItemSet(spec.scenario.task.items);
    this.#abandoned = new ItemSet(spec.scenario.task.items);
  }

  async start(): Promise<void> {
    const { items } = this.#spec.scenario.task;
    const { clock, origin } = this.#tunnel;
    // While modules load there may be moments in which nothing is due: no reason to give up.
    clock.endsWhenIdle = true;
    const module = await this.#load();
    clock.endsWhenIdle = false;
    clock.wake();
    if (typeof module.task === 'function') {
      this.#wholeTask = true;
      try {
        await module.task({ items, origin, itemUrl: (item) => origin + itemPath(item) });
      } catch (error) {
        this.error = textOf(error);
      }
      return;
    }
    const client = module.default;
    if (typeof client !== 'function')
      throw clientMistake(this.#spec, 'exports no function', 'a module with a default function for an item, or task()');
    const lanes = new Lanes(this.#spec.concurrency);
    await lanes.pass(
      1,
      items,
      () => true,
      (item) => this.#item(client, item),
    );
    lanes.close();
  }

  async #load(): Promise<ClientModule> {
    try {
      return (await import(this.#spec.module)) as ClientModule;
    } catch (error) {
      throw clientMistake(this.#spec, `can not be loaded: ${textOf(error)}`, 'a module that node loads');
    }
  }

  async #item(client: ItemFunction, item: number): Promise<void> {
    const { clock, origin } = this.#tunnel;
    const { method, scenario } = this.#spec;
    await new Promise<void>((resolve) => clock.schedule(scenario.task.prepMs, resolve));
    const begunMs = clock.nowMs();
    this.#begun++;
    try {
      await client({ item, url: origin + itemPath(item), origin, method });
      // Its word is not enough: a client that takes any reply for a success is not done.
      const asked = this.#tunnel.book.resources.get(item);
      if (asked !== undefined && asked.doneMs === undefined) throw new Unfounded();
      this.#done.add(item);
      this.#itemMs.push(clock.nowMs() - begunMs);
      this.#end(DONE, 'success');
    } catch (error) {
      this.#abandoned.add(item);
      this.#end(endingOf(error), outcomeOfResource(this.#tunnel.book.resources.get(item)));
    }
  }

  #end(ending: string, outcome: Outcome): void {
    this.#outcomes[outcome]++;
    const known = ending === DONE || this.#endings.has(ending) || this.#endings.size < MAX_ENDINGS;
    const name = known ? ending : 'other';
    this.#endings.set(name, (this.#endings.get(name) ?? 0) + 1);
  }

  items(): ItemBook {
    const total = this.#spec.scenario.task.items;
    if (this.#wholeTask) return itemsFromBook(this.#tunnel.book.resources, total);
    return {
      total,
      done: this.#done.size,
      abandoned: this.#abandoned.size,
      begun: this.#begun,
      outcomes: this.#outcomes,
      endings: Object.fromEntries(this.#endings),
      itemMs: this.#itemMs,
    };
  }
}

/** Code of the error, or else its name: what a log would be searched for. */
function endingOf(error: unknown): string {
  if (!(error instanceof Error)) return typeof error;
  const { code } = error as { code?: unknown };
  const text = (typeof code === 'string' && code !== '' ? code : error.name).slice(0, MAX_ENDING);
  return text === DONE ? 'error done' : text;
}
