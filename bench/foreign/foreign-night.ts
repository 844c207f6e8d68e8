// A night of foreign code as plain data: what any other night is, and how its items ended. Folded from the two books of a wind
// tunnel and from what became of the items.

import type { ItemRequest } from '../../clients/contestants/contract.ts';
import { OUTCOMES, type Outcome, outcomeOf } from '../../clients/outcome.ts';
import type { Night } from '../night.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Resource } from './http-book.ts';
import type { WindTunnel } from './wind-tunnel.ts';

export interface ForeignNight {
  readonly night: Night;
  /** How items ended: `done`, or code or name of the error with which the client gave up. */
  readonly endings: Readonly<Record<string, number>>;
  /** Scenario time from asking for an item to having it, of those that were done, in order of ending. */
  readonly itemMs: readonly number[];
  /** With which a whole task gave up; undefined when it ended well, or is no whole task. */
  readonly error?: string;
}

/** What became of the items. */
export interface ItemBook {
  readonly total: number;
  readonly done: number;
  readonly abandoned: number;
  readonly begun: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly endings: Readonly<Record<string, number>>;
  readonly itemMs: readonly number[];
}

export type ForeignMethod = ItemRequest['method'];

export function foreignNight(
  { scenario, client, seed }: { readonly scenario: Scenario; readonly client: string; readonly seed: number },
  tunnel: WindTunnel,
  { total, done, abandoned, begun, outcomes, endings, itemMs }: ItemBook,
): ForeignNight {
  const { clock, book } = tunnel;
  const ended = OUTCOMES.reduce((sum, name) => sum + outcomes[name], 0);
  const night: Night = {
    scenario: scenario.name,
    scenarioHash: scenario.hash,
    strategy: client,
    seed,
    clock: 'lockstep',
    platform: tunnel.platformBook(),
    client: { minutes: book.tally.rows(), waits: {}, progress: [] },
    items: { total, done, abandoned, unfinished: total - done - abandoned },
    // What a cut night left under way ended in nothing that anybody knows of.
    operations: { begun, ...outcomes, unknown: outcomes.unknown + begun - ended },
    earlyRetries: book.tally.earlyRetries,
    stopReason: clock.limit ?? (done === total ? 'done' : 'attempts_exhausted'),
    startedMs: scenario.task.clientStartMs,
    endedMs: clock.nowMs(),
  };
  return { night, endings, itemMs };
}

/**
 * The items of a client that asks for them by itself: what its HTTP library asked for, and what became of it.
 * @param total items of the task; undefined when whatever was asked for is one
 */
export function itemsFromBook(resources: ReadonlyMap<number, Resource>, total: number | undefined): ItemBook {
  const outcomes: Record<Outcome, number> = { success: 0, failure: 0, unknown: 0, not_sent: 0 };
  const itemMs: number[] = [];
  let items = 0;
  for (const [key, resource] of resources) {
    const { firstSentMs, doneMs } = resource;
    outcomes[doneMs === undefined ? outcomeOfResource(resource) : 'success']++;
    if (total !== undefined && !(key >= 1 && key <= total)) continue;
    items++;
    if (doneMs !== undefined) itemMs.push(doneMs - firstSentMs);
  }
  itemMs.sort((a, b) => a - b);
  const done = itemMs.length;
  const endings = Object.fromEntries(Object.entries(outcomes).filter(([, count]) => count > 0));
  const begun = resources.size;
  return { total: total ?? begun, done, abandoned: items - done, begun, outcomes, endings, itemMs };
}

/** Whether the client meant to stop is its own affair: what it heard last says what is known. */
export function outcomeOfResource(resource: Resource | undefined): Outcome {
  if (resource === undefined) return 'not_sent';
  return outcomeOf(resource, { kind: 'stop', reason: 'attempts_exhausted', scope: 'operation' });
}
