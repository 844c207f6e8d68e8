// The arena's bouts as rows: one a scenario and client, medians over the seeds with the lowest and the highest.

import { quantileSorted } from 'simple-statistics';
import { toCsv } from '../books/csv.ts';
import { type Bout, type BoutNight, versionsOf } from './arena.ts';

/** Figures of a row that vary over the seeds. */
export const ARENA_FIGURES = [
  'calls',
  'billed',
  'done',
  'seconds',
  'early_retries',
  'calls_after_quota',
  'calls_per_done',
  'item_p50_ms',
  'item_p99_ms',
] as const;
export type ArenaFigure = (typeof ARENA_FIGURES)[number];

export interface ArenaSpread {
  readonly low: number;
  readonly median: number;
  readonly high: number;
}

export interface ArenaRow {
  readonly scenario: string;
  readonly client: string;
  readonly versions: string;
  readonly seeds: number;
  /** Missing when no night of the client could be simulated; a figure is missing when no night has it. */
  readonly figures: Readonly<Partial<Record<ArenaFigure, ArenaSpread>>> | undefined;
  /** How items ended, over all seeds, most frequent first; or the fault. */
  readonly ended: string;
  readonly discrepancies: number;
}

export function arenaRows(bouts: readonly Bout[]): readonly ArenaRow[] {
  const groups = new Map<string, Bout[]>();
  for (const bout of bouts) {
    const name = `${bout.scenario} ${bout.client}`;
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [bout]);
    else group.push(bout);
  }
  return [...groups.values()].map(rowOf);
}

function rowOf(bouts: readonly Bout[]): ArenaRow {
  const [{ scenario, client }] = bouts as [Bout];
  const nights = bouts.flatMap(({ outcome }) => ('fault' in outcome ? [] : [outcome]));
  const faults = bouts.flatMap(({ outcome }) => ('fault' in outcome ? [`${outcome.fault}: ${outcome.message}`] : []));
  return {
    scenario,
    client,
    versions: versionsOf(client),
    seeds: bouts.length,
    figures: nights.length === 0 ? undefined : spreadsOf(nights),
    ended: faults[0] ?? endings(nights),
    discrepancies: nights.reduce((sum, night) => sum + night.discrepancies, 0),
  };
}

/** Endings shown; what is rarer is summed up. */
const SHOWN_ENDINGS = 3;

function endings(nights: readonly BoutNight[]): string {
  const counts = new Map<string, number>();
  for (const night of nights) {
    for (const [name, count] of Object.entries(night.endings)) counts.set(name, (counts.get(name) ?? 0) + count);
    // A cut says more than any item.
    if (night.stopReason.endsWith('_limit')) counts.set(`cut at ${night.stopReason}`, Number.POSITIVE_INFINITY);
  }
  const sorted = [...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const told = sorted
    .slice(0, SHOWN_ENDINGS)
    .map(([name, count]) => (Number.isFinite(count) ? `${name} ${count}` : name));
  const rest = sorted.slice(SHOWN_ENDINGS).reduce((sum, [, count]) => sum + count, 0);
  return [...told, ...(rest > 0 ? [`other ${rest}`] : [])].join(', ');
}

const FIGURE_OF: Readonly<Record<ArenaFigure, (night: BoutNight) => number | undefined>> = {
  calls: ({ figures }) => figures.calls,
  billed: ({ figures }) => figures.billed,
  done: ({ figures }) => figures.items_done,
  seconds: ({ figures }) => figures.duration_s,
  early_retries: ({ figures }) => figures.early_retries,
  calls_after_quota: ({ figures }) => figures.calls_after_quota,
  calls_per_done: ({ figures }) => (figures.items_done === 0 ? undefined : figures.calls / figures.items_done),
  item_p50_ms: ({ itemMs }) => quantileOf(itemMs, 0.5),
  item_p99_ms: ({ itemMs }) => quantileOf(itemMs, 0.99),
};

function spreadsOf(nights: readonly BoutNight[]): ArenaRow['figures'] {
  const entries = ARENA_FIGURES.flatMap((name) => {
    const values = nights.flatMap((night) => FIGURE_OF[name](night) ?? []);
    const median = quantileOf(values, 0.5);
    return median === undefined
      ? []
      : [[name, { low: Math.min(...values), median, high: Math.max(...values) }] as const];
  });
  return Object.fromEntries(entries);
}

function quantileOf(values: readonly number[], share: number): number | undefined {
  if (values.length === 0) return undefined;
  return quantileSorted(
    [...values].sort((a, b) => a - b),
    share,
  );
}

const CSV_COLUMNS = [
  'scenario',
  'client',
  'versions',
  'seeds',
  ...ARENA_FIGURES.flatMap((name) => [name, `${name}_low`, `${name}_high`]),
  'ended',
];

/** All rows as CSV: a median, a lowest and a highest for each figure, rounded to thousandths. */
export function arenaCsv(rows: readonly ArenaRow[]): string {
  const round = (value: number | undefined) => (value === undefined ? undefined : Math.round(value * 1000) / 1000);
  return toCsv(
    CSV_COLUMNS,
    rows.map(({ scenario, client, versions, seeds, figures, ended }) => ({
      scenario,
      client,
      versions,
      seeds,
      ...Object.fromEntries(
        ARENA_FIGURES.flatMap((name) => {
          const each = figures?.[name];
          return [
            [name, round(each?.median)],
            [`${name}_low`, round(each?.low)],
            [`${name}_high`, round(each?.high)],
          ];
        }),
      ),
      ended,
    })),
  );
}
