// A comparison: paired differences of every two strategies in every measure, with intervals that hold together; ranks; and a
// winner, if these nights show one.

import { mean } from 'simple-statistics';
import { type MeanEstimate, simultaneousMeans } from '../../statistics/simultaneous.ts';
import { type Measure, moreIsBetter } from '../measures.ts';
import type { NightColumns } from './night-table.ts';

export interface ComparisonRules {
  readonly figure: Measure;
  /** Share of the task's items by which a strategy may do less than the best and still count as finishing as much. */
  readonly margin: number;
  /** Of the draws that find the common level of the intervals. */
  readonly seed: number;
}

export interface Difference extends MeanEstimate {
  /** The difference is a's value less b's, on the same night. */
  readonly a: string;
  readonly b: string;
  readonly measure: Measure;
  /** Mean difference as a share of b's mean; undefined when that is 0. */
  readonly relative: number | undefined;
}

/** What decides between two strategies, and for which. */
export interface Decision {
  readonly a: string;
  readonly b: string;
  readonly difference: Difference;
  /** Undefined when these nights do not tell them apart. */
  readonly better: string | undefined;
}

export interface Standing {
  readonly strategy: string;
  readonly means: Readonly<Partial<Record<Measure, number>>>;
  /** Whether it does as many items as the best, within the margin. */
  readonly complete: boolean;
  /** The best and the worst rank that these nights leave possible. */
  readonly rank: readonly [best: number, worst: number];
}

export interface Comparison {
  /** Best first. */
  readonly standings: readonly Standing[];
  readonly differences: readonly Difference[];
  readonly decisions: readonly Decision[];
  readonly winner: string | undefined;
  /** Why there is a winner, or why there is none. */
  readonly because: string;
  /** Share of error that each interval uses, so that all of them use 5 %. */
  readonly errorEach: number;
}

/**
 * With five nights or fewer, differences that all point one way do so by chance more often than once in twenty (2 of
 * 2^5 ways to point).
 */
export const LEAST_NIGHTS = 6;

export function compare(table: NightColumns, rules: ComparisonRules): Comparison {
  const { differences, errorEach } = allDifferences(table, rules.seed);
  const rows = ordered(table, rules);
  const decisions = pairs(rows.map(({ strategy }) => strategy)).map(([a, b]) =>
    decide(a, b, { rows, rules, differences, nights: table.nights }),
  );
  const standings = rows.map((row): Standing => ({ ...row, rank: rankOf(row.strategy, decisions, rows.length) }));
  return { standings, differences, decisions, ...winnerOf(standings, decisions, table.nights), errorEach };
}

export function pairs<T>(all: readonly T[]): (readonly [T, T])[] {
  return all.flatMap((a, index) => all.slice(index + 1).map((b) => [a, b] as const));
}

function allDifferences(table: NightColumns, seed: number) {
  const { strategies, measures } = table;
  const asked = pairs(strategies).flatMap(([a, b]) => measures.map((measure) => ({ a, b, measure })));
  const contrasts = asked.map(({ a, b, measure }) => {
    const others = table.column(b, measure);
    return table.column(a, measure).map((value, night) => value - (others[night] ?? Number.NaN));
  });
  const { estimates, errorEach } = simultaneousMeans(contrasts, seed);
  const differences = estimates.map((estimate, index): Difference => {
    const of = asked[index];
    if (of === undefined) throw new RangeError('more estimates than differences');
    const base = average(table.column(of.b, of.measure));
    return { ...of, ...estimate, relative: base === 0 ? undefined : estimate.mean / base };
  });
  return { differences, errorEach };
}

const average = (column: Float64Array): number => mean(column as unknown as number[]);

type Row = Omit<Standing, 'rank'>;

/** Strategies that do as many items as the best come first, by the figure; then the others, by items done. */
function ordered(table: NightColumns, { figure, margin }: ComparisonRules): Row[] {
  const { strategies, measures, items } = table;
  const means = strategies.map((strategy) =>
    Object.fromEntries(measures.map((measure) => [measure, average(table.column(strategy, measure))])),
  );
  const most = Math.max(...means.map((each) => each.items_done ?? 0));
  const rows = strategies.map((strategy, index): Row => {
    const own = means[index] ?? {};
    return { strategy, means: own, complete: (own.items_done ?? 0) >= most - margin * items };
  });
  const worth = ({ means: own }: Row, measure: Measure) => (moreIsBetter(measure) ? 1 : -1) * (own[measure] ?? 0);
  return rows.sort((a, b) => {
    if (a.complete !== b.complete) return a.complete ? -1 : 1;
    const measure = a.complete ? figure : 'items_done';
    return worth(b, measure) - worth(a, measure);
  });
}

interface Ground {
  readonly rows: readonly Row[];
  readonly rules: ComparisonRules;
  readonly differences: readonly Difference[];
  readonly nights: number;
}

/** Between two that finish as much the figure decides; otherwise what they finish does. */
function decide(a: string, b: string, { rows, rules, differences, nights }: Ground): Decision {
  const complete = (name: string) => rows.some(({ strategy, complete: is }) => strategy === name && is);
  const measure = complete(a) && complete(b) ? rules.figure : 'items_done';
  const difference = differenceOf(differences, a, b, measure);
  const { low, high } = difference;
  const sign = nights < LEAST_NIGHTS ? 0 : low > 0 ? 1 : high < 0 ? -1 : 0;
  const better = sign === 0 ? undefined : sign > 0 === moreIsBetter(measure) ? a : b;
  return { a, b, difference, better };
}

/** The difference a less b, whichever way round it was taken. */
export function differenceOf(all: readonly Difference[], a: string, b: string, measure: Measure): Difference {
  const found = all.find((each) => each.a === a && each.b === b && each.measure === measure);
  if (found !== undefined) return found;
  const other = all.find((each) => each.a === b && each.b === a && each.measure === measure);
  if (other === undefined) throw new RangeError(`no difference of ${a} and ${b} in ${measure}`);
  const { mean: back, sd, low, high, relative } = other;
  // a - b = -(b - a); as a share of b's mean, where (b - a) is known as a share of a's: 1 / (1 + r) - 1.
  const share = relative === undefined || relative === -1 ? undefined : 1 / (1 + relative) - 1;
  return { a, b, measure, mean: -back, sd, low: -high, high: -low, relative: share };
}

function rankOf(strategy: string, decisions: readonly Decision[], strategies: number): readonly [number, number] {
  const own = decisions.filter(({ a, b, better }) => better !== undefined && (a === strategy || b === strategy));
  const won = own.filter(({ better }) => better === strategy).length;
  return [1 + own.length - won, strategies - won];
}

function winnerOf(standings: readonly Standing[], decisions: readonly Decision[], nights: number) {
  const [first] = standings;
  if (first === undefined) throw new RangeError('a comparison of no strategies');
  const against = (name: string) => decisions.find(({ a, b }) => a === first.strategy && b === name);
  const open = standings.slice(1).filter(({ strategy }) => against(strategy)?.better !== first.strategy);
  if (nights < LEAST_NIGHTS)
    return { winner: undefined, because: `${nights} nights are too few: a winner needs ${LEAST_NIGHTS} or more` };
  if (open.length > 0) {
    const names = open.map(({ strategy }) => strategy).join(', ');
    return { winner: undefined, because: `these nights do not tell ${first.strategy} from ${names}` };
  }
  return { winner: first.strategy, because: 'its difference to every other lies wholly on its side of zero' };
}
