// The arena: every installed contestant and chosen strategies through the same nights of the same scenarios. Contestants run
// over real sockets in a thread each, strategies in process, which gives the same nights.

import { availableParallelism } from 'node:os';
import pLimit from 'p-limit';
import { CONTESTANTS, moduleOf, packagesOf } from '../../clients/contestants/catalogue.ts';
import { type Figures, figures } from '../books/figures.ts';
import { discrepancies } from '../books/reconcile.ts';
import { ForeignError, type ForeignFault } from '../foreign/foreign-error.ts';
import { runInWorker } from '../foreign/in-worker.ts';
import { InputError } from '../input-error.ts';
import type { Night } from '../night.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { strategyNight } from './strategy-night.ts';

export interface ArenaSettings {
  readonly scenarios: readonly Scenario[];
  readonly contestants: readonly string[];
  readonly strategies: readonly string[];
  readonly firstSeed: number;
  readonly seeds: number;
  /** Nights at once; all cores when undefined. */
  readonly workers?: number | undefined;
  readonly method: 'GET' | 'POST';
  readonly concurrency: number;
  /** Calls after which a contestant's night is cut. */
  readonly maxCalls: number;
}

/** One client in one night of one scenario. */
export interface Bout {
  readonly scenario: string;
  readonly client: string;
  readonly seed: number;
  readonly outcome: BoutNight | { readonly fault: ForeignFault | 'failed'; readonly message: string };
}

export interface BoutNight {
  readonly figures: Figures;
  readonly stopReason: Night['stopReason'];
  /** How items, or operations, ended. */
  readonly endings: Readonly<Record<string, number>>;
  /** From the first asking for an item to having it, ms. */
  readonly itemMs: readonly number[];
  readonly discrepancies: number;
}

/** Runs everything; bouts come in the order of scenarios, clients and seeds, whatever the number of workers. */
export async function runArena(settings: ArenaSettings, onBout: (bout: Bout) => void): Promise<readonly Bout[]> {
  const slots = pLimit(settings.workers ?? availableParallelism());
  const seeds = Array.from({ length: settings.seeds }, (_, index) => settings.firstSeed + index);
  const bouts = settings.scenarios.flatMap((scenario) =>
    [...settings.contestants, ...settings.strategies].flatMap((client) =>
      seeds.map((seed) =>
        slots(async () => {
          const bout = await runBout(settings, scenario, client, seed);
          onBout(bout);
          return bout;
        }),
      ),
    ),
  );
  return Promise.all(bouts);
}

async function runBout(settings: ArenaSettings, scenario: Scenario, client: string, seed: number): Promise<Bout> {
  const head = { scenario: scenario.name, client, seed };
  try {
    const outcome = settings.contestants.includes(client)
      ? await contestantNight(settings, scenario, client, seed)
      : await strategyNight(scenario, client, seed);
    return { ...head, outcome };
  } catch (error) {
    // A client that breaks breaks its own row.
    if (error instanceof InputError) return { ...head, outcome: { fault: 'failed', message: error.message } };
    if (!(error instanceof ForeignError)) throw error;
    return { ...head, outcome: { fault: error.fault, message: error.detail } };
  }
}

async function contestantNight(
  { method, concurrency, maxCalls }: ArenaSettings,
  scenario: Scenario,
  client: string,
  seed: number,
): Promise<BoutNight> {
  const contestant = CONTESTANTS[client];
  if (contestant === undefined) throw new Error(`no contestant ${client}`);
  const spec = { scenario, seed, client, module: moduleOf(contestant), method, concurrency, maxCalls };
  const { night, endings, itemMs, unmatched } = await runInWorker(spec);
  const wrong = discrepancies(night).length + unmatched;
  return { figures: figures(night), stopReason: night.stopReason, endings, itemMs, discrepancies: wrong };
}

/** Name and version of what a client's figures are of: packages that are installed, or the tool's own strategy. */
export function versionsOf(client: string): string {
  const contestant = CONTESTANTS[client];
  if (contestant === undefined) return 'strategy';
  if (contestant.packages.length === 0) return `node ${process.versions.node}`;
  return packagesOf(contestant)
    .map(({ name, version }) => `${name} ${version ?? 'not installed'}`)
    .join(', ');
}

/** Contestants whose packages are all here. */
export function installedContestants(): readonly string[] {
  return Object.entries(CONTESTANTS)
    .filter(([, contestant]) => packagesOf(contestant).every(({ version }) => version !== undefined))
    .map(([name]) => name);
}
