// One run of `storm run`: each strategy's first night with all its books, the rest of its nights as figures, everything
// written into a draft folder.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { toCsv } from '../books/csv.ts';
import { FIGURE_NAMES, type Figures, figures } from '../books/figures.ts';
import { writeNightFiles } from '../books/night-files.ts';
import { type Spread, spread } from '../books/quantiles.ts';
import { discrepancies } from '../books/reconcile.ts';
import { type NightSummary, summarise } from '../books/summary.ts';
import type { ClockName, Night } from '../night.ts';
import { type ClientFacts, quoted, writeManifest } from '../results-folder/manifest.ts';
import type { LoadedScenario } from '../scenario/load.ts';
import { type ClientSettings, clientNights, type ForeignSummary } from './client-nights.ts';
import type { NightJournal } from './night-journal.ts';
import type { NightPool } from './night-pool.ts';
import type { WallSettings, WallSummary } from './wall-experiment.ts';

export interface ExperimentSettings {
  readonly loaded: LoadedScenario;
  readonly strategies: readonly string[];
  readonly seed: number;
  readonly clock: ClockName;
  readonly nights: number;
  /** For the wall clock, which takes the place of `clock`. */
  readonly wall?: WallSettings | undefined;
  /** Client modules of the user's, beside the strategies. */
  readonly clients?: readonly ClientSettings[];
}

export interface StrategyResult {
  readonly strategy: string;
  /** The first night, which has all its books on file. */
  readonly night: Night;
  readonly summary: NightSummary;
  /** Over all nights, the first included; empty for a single one. */
  readonly spreads: Readonly<Partial<Record<keyof Figures, Spread>>>;
  /** Identities that do not hold and requests that do not match, over all nights. */
  readonly discrepancies: number;
  /** Nights that ended. */
  readonly nights?: number;
  /** Of a client module: what its items say. */
  readonly foreign?: ForeignSummary;
  /** Of a client module that is a whole task: the error with which its first night ended. */
  readonly error?: string | undefined;
  /** Of the wall clock: how well time was kept. */
  readonly wall?: WallSummary;
}

export const SCENARIO = 'scenario.yaml';

/** What keeps the nights of a run, and may end it between two of them. */
export interface Keeping {
  readonly journal: NightJournal | undefined;
  readonly stopping: () => boolean;
}

const NOT_KEPT: Keeping = { journal: undefined, stopping: () => false };

export interface Experiment {
  readonly results: readonly StrategyResult[];
  /** Whether it was stopped before all its nights had ended. */
  readonly partial: boolean;
}

/** Runs everything and writes all but the manifest into `draft`; `onNight` is told of every night that ended. */
export async function runExperiment(
  settings: ExperimentSettings,
  pool: NightPool,
  draft: string,
  onNight: (nights: number) => void,
  keeping: Keeping = NOT_KEPT,
): Promise<Experiment> {
  const { loaded, strategies, seed, nights, clients = [] } = settings;
  const outcomes = await Promise.all([
    ...strategies.map((strategy) => runStrategy(settings, strategy, pool, draft, onNight, keeping)),
    ...clients.map((client) => runClient(settings, client, draft, onNight, keeping)),
  ]);
  const results = outcomes.map(({ result }) => result);
  const rows = outcomes.flatMap(({ result, perNight }) =>
    perNight.map((each, index): NightRow => ({ strategy: result.strategy, seed: seed + index, ...each })),
  );
  if (nights > 1) writeFileSync(join(draft, 'nights.csv'), toCsv(NIGHT_COLUMNS, rows), { flag: 'wx' });
  const partial = outcomes.some(({ perNight }) => perNight.length < nights);
  writeFileSync(join(draft, SCENARIO), loaded.text);
  writeFileSync(join(draft, 'summary.json'), summaryJson(settings, results, partial), { flag: 'wx' });
  return { results, partial };
}

/** Writes the manifest, when every other file of the draft is there. */
export function sealExperiment(
  { loaded, strategies, seed, nights, clock, wall, clients = [] }: ExperimentSettings,
  draft: string,
  command: string,
  partial = false,
): void {
  const { name, hash } = loaded.scenario;
  writeManifest(draft, {
    command,
    scenario: name,
    scenario_hash: hash,
    seed,
    nights,
    clock: wall === undefined ? clock : 'wall',
    ...wallFacts(wall),
    ...(partial ? { partial } : {}),
    strategies: [...strategies, ...clients.map(({ file }) => file.name)],
    ...(clients.length === 0 ? {} : { clients: clients.map(clientFacts) }),
  });
}

function wallFacts(wall: WallSettings | undefined): Pick<RunFacts, 'speed' | 'band_nights'> {
  return wall === undefined ? {} : { speed: wall.speed, band_nights: wall.bandNights };
}

export function clientFacts({ file, method, concurrency, maxCalls }: ClientSettings): ClientFacts {
  return { name: file.name, path: file.path, sha256: file.sha256, method, concurrency, max_calls: maxCalls };
}

type NightRow = Figures & { readonly strategy: string; readonly seed: number };
const NIGHT_COLUMNS = ['strategy', 'seed', ...FIGURE_NAMES] as const;

/** What summary.json says; also the output of --json. */
export function summaryJson(
  { loaded, seed, clock, nights, wall }: ExperimentSettings,
  results: readonly StrategyResult[],
  partial = false,
): string {
  const { name, hash } = loaded.scenario;
  const strategies = results.map(({ summary, spreads, nights: ended, foreign, wall: kept }) => ({
    ...summary,
    ...foreign,
    ...kept,
    ...(partial && nights > 1 ? { nights_ended: ended } : {}),
    ...(nights > 1 ? { over_all_nights: spreads } : {}),
  }));
  const voided = results.flatMap(
    ({ strategy, wall: kept }) => kept?.void_because?.map((why) => `${strategy}: ${why}`) ?? [],
  );
  const head = {
    ...{ scenario: name, scenario_hash: hash, seed, clock: wall === undefined ? clock : 'wall' },
    ...(wall === undefined ? {} : { speed: wall.speed }),
    nights,
    ...(partial ? { partial } : {}),
    ...(voided.length === 0 ? {} : { void: true, void_because: voided }),
  };
  return `${JSON.stringify({ ...head, strategies }, undefined, 2)}\n`;
}

/** The command that repeats an experiment. */
export function commandOf({ strategies, clients = [], seed, clock, nights, wall }: ExperimentSettings): string {
  const names = [...strategies, ...clients.map(({ file }) => file.name)];
  const shared = { strategies: names, seed, nights, clients: clients.map(clientFacts) };
  return runCommand({ ...shared, clock: wall === undefined ? clock : 'wall', ...wallFacts(wall) });
}

/** What a `storm run` is repeated by. */
export interface RunFacts {
  readonly speed?: number | undefined;
  readonly band_nights?: number | undefined;
  readonly strategies: readonly string[];
  readonly seed: number;
  readonly clock: string;
  readonly nights: number;
  readonly clients?: readonly ClientFacts[] | undefined;
}

/** The command that makes the same folder from the copy of the scenario in it. */
export function runCommand(facts: RunFacts): string {
  const { strategies, seed, clock, nights, clients = [], speed, band_nights } = facts;
  const modules = new Set(clients.map(({ name }) => name));
  const named = strategies.filter((name) => !modules.has(name)).map((name) => `--strategy ${name}`);
  const options = clients.flatMap(({ path, method, concurrency, max_calls }, index) => [
    `--client ${quoted(path)}`,
    ...(index === 0 ? [`--method ${method} --concurrency ${concurrency} --max-calls ${max_calls}`] : []),
  ]);
  const wall = speed === undefined ? '' : ` --speed ${speed} --band-nights ${band_nights ?? 0}`;
  const chosen = [...named, ...options].join(' ');
  return `storm run scenario.yaml ${chosen} --seed ${seed} --clock ${clock}${wall} --nights ${nights}`;
}

async function runStrategy(
  { loaded, seed, clock, nights }: ExperimentSettings,
  strategy: string,
  pool: NightPool,
  draft: string,
  onNight: (nights: number) => void,
  { journal, stopping }: Keeping,
): Promise<{ result: StrategyResult; perNight: Figures[] }> {
  const { scenario } = loaded;
  const { night, unmatched } = await pool.record({ scenario, strategy, seed, clock }, join(draft, strategy));
  writeNightFiles(night, join(draft, strategy));
  const kept = journal?.nights(strategy) ?? [];
  onNight(1 + kept.length);
  const perNight = [figures(night), ...kept.map((each) => each.figures)];
  let wrong = kept.reduce((sum, each) => sum + each.discrepancies, discrepancies(night).length + unmatched);
  const left = () => ({ firstSeed: seed + perNight.length, nights: stopping() ? 0 : nights - perNight.length });
  for await (const other of pool.series({ scenario, strategy, clock, ...left() })) {
    const each = { figures: figures(other), discrepancies: discrepancies(other).length };
    journal?.add(strategy, other.seed, each);
    perNight.push(each.figures);
    wrong += each.discrepancies;
    onNight(1);
    if (stopping()) break;
  }
  const spreads = nights > 1 ? spreadsOf(perNight) : {};
  const ended = { strategy, night, summary: summarise(night), spreads, discrepancies: wrong, nights: perNight.length };
  return { result: ended, perNight };
}

async function runClient(
  { loaded: { scenario }, seed, nights }: ExperimentSettings,
  client: ClientSettings,
  draft: string,
  onNight: (nights: number) => void,
  keeping: Keeping,
): Promise<{ result: StrategyResult; perNight: readonly Figures[] }> {
  const { perNight, ...ran } = await clientNights(client, { scenario, seed, nights }, draft, onNight, keeping);
  const spreads = nights > 1 ? spreadsOf(perNight) : {};
  return {
    result: { strategy: client.file.name, summary: summarise(ran.night), spreads, ...ran, nights: perNight.length },
    perNight,
  };
}

function spreadsOf(perNight: readonly Figures[]): Partial<Record<keyof Figures, Spread>> {
  const entries = FIGURE_NAMES.map((name) => [name, spread(perNight.flatMap((each) => each[name] ?? []))] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}
