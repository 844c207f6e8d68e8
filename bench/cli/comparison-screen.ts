// What a comparison looks like on the screen.

import { PATCHES } from '../../clients/strategies/patches.ts';
import { type Ablation, combinationName, VIEWS } from '../choose/compare/ablation.ts';
import type { Decision } from '../choose/compare/compare.ts';
import { type ComparisonRun, toBaseline } from '../choose/compare/comparison-files.ts';
import { type Measure, measuresOf } from '../choose/measures.ts';
import type { MeanEstimate } from '../statistics/simultaneous.ts';
import { type Cell, line, mark, shown, table } from './screen.ts';

/** Heads of columns. */
const HEAD: Readonly<Record<Measure, string>> = {
  billed_per_done: 'billed/done',
  calls: 'calls',
  billed: 'billed',
  cost: 'cost',
  items_done: 'done',
  duration_s: 'seconds',
};

export function printComparison(run: ComparisonRun): void {
  const { scenario, seed, nights, comparison, ablation, sourceHash } = run;
  line(
    `${mark.strong(scenario.name)}  ${nights} nights, seeds ${seed} to ${seed + nights - 1}, ` +
      `scenario ${sourceHash.slice(0, 12)}${scenario.price === undefined ? '' : `, cost in ${scenario.price.currency}`}`,
  );
  line();
  line(standingsTable(run));
  line();
  if (ablation === undefined) printDifferences(run);
  else printAblation(run, ablation);
  line();
  const { winner, because } = comparison;
  line(winner === undefined ? `no winner: ${because}` : `${mark.good('winner')}: ${winner}: ${because}`);
}

function printDifferences(run: ComparisonRun): void {
  const { baseline, rules, comparison } = run;
  line(`difference to ${baseline} on the same night: mean (95 %, all intervals of this page together)`);
  line(differencesTable(run));
  line();
  const less = `done where one does less by ${percent(rules.margin)} of the items`;
  line(`two by two: what decides is ${HEAD[rules.figure]}, or ${less}`);
  line(decisionsTable(comparison.decisions));
}

function standingsTable({ scenario, comparison }: ComparisonRun): string {
  const measures = measuresOf(scenario.price);
  const rows = comparison.standings.map(({ strategy, rank: [best, worst], means, complete }): Cell[] => [
    best === worst ? `${best}` : `${best}-${worst}`,
    strategy,
    ...measures.map((measure) => digits(measure, means[measure] ?? 0)),
    complete ? '' : 'does less',
  ]);
  return table(['rank', 'strategy', ...measures.map((measure) => HEAD[measure]), ''], rows);
}

function differencesTable(run: ComparisonRun): string {
  const measures = measuresOf(run.scenario.price).filter((measure) => measure !== 'billed_per_done');
  const shownOf = [...new Set([run.rules.figure, ...measures])];
  const rows = toBaseline(run).map(({ strategy, of }) => [
    strategy,
    ...shownOf.map((measure) => interval(measure, of(measure))),
    relative(of().relative),
  ]);
  return table(['strategy', ...shownOf.map((measure) => HEAD[measure]), `${HEAD[run.rules.figure]}, relative`], rows);
}

function decisionsTable(decisions: readonly Decision[]): string {
  const rows = decisions.map(({ a, b, difference, better }) => [
    `${a} less ${b}`,
    HEAD[difference.measure],
    interval(difference.measure, difference),
    better ?? 'not told apart',
  ]);
  return table(['difference', 'decides', 'mean (95 %)', 'better'], rows);
}

function printAblation({ rules }: ComparisonRun, { effects, interactions }: Ablation): void {
  for (const measure of new Set<Measure>([rules.figure, 'calls', 'items_done', 'duration_s'])) {
    line(`what a patch changes in ${HEAD[measure]} (95 %)`);
    const rows = PATCHES.map((patch) => [
      patch,
      ...VIEWS.map((view) => {
        const effect = effects.find((each) => each.patch === patch && each.view === view && each.measure === measure);
        return effect === undefined ? '' : interval(measure, effect);
      }),
    ]);
    line(table(['patch', `added to ${combinationName([])}`, 'on average', 'added to the other three'], rows));
    line();
  }
  line(`what two patches change together in ${HEAD[rules.figure]} besides what each does (95 %)`);
  const rows = interactions
    .filter(({ measure }) => measure === rules.figure)
    .map(({ patches, measure, ...estimate }) => [patches.join(' and '), interval(measure, estimate)]);
  line(table(['patches', 'interaction'], rows));
}

function interval(measure: Measure, { mean, low, high }: MeanEstimate): string {
  if (low === high) return `${signed(measure, mean)} (every night)`;
  return `${signed(measure, mean)} (${signed(measure, low)} to ${signed(measure, high)})`;
}

const FRACTIONS: Readonly<Partial<Record<Measure, number>>> = { billed_per_done: 3, cost: 4 };

function digits(measure: Measure, value: number): string | number {
  const fraction = FRACTIONS[measure];
  if (fraction === undefined) return value;
  return value.toLocaleString('en-US', { minimumFractionDigits: fraction, maximumFractionDigits: fraction });
}

function signed(measure: Measure, value: number): string {
  const text = shown(digits(measure, Math.abs(value)));
  const zero = !/[1-9]/.test(text);
  return zero ? text : `${value < 0 ? '-' : '+'}${text}`;
}

function relative(share: number | undefined): string {
  if (share === undefined) return '';
  const text = percent(Math.abs(share));
  return /[1-9]/.test(text) ? `${share < 0 ? '-' : '+'}${text}` : text;
}

const percent = (share: number): string => `${shown(Math.round(share * 1000) / 10)} %`;
