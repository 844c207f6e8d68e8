// What a comparison leaves: comparison.json, the differences as a table, and one row a night and strategy, from which all of
// it can be computed again.

import { toCsv } from '../../books/csv.ts';
import { snake } from '../../scenario/fields.ts';
import type { Price } from '../../scenario/scenario.ts';
import { CONFIDENCE } from '../../statistics/share-interval.ts';
import type { Ablation } from './ablation.ts';
import { type Comparison, type ComparisonRules, differenceOf } from './compare.ts';
import type { CommonNights } from './night-table.ts';

export interface ComparisonRun extends CommonNights {
  readonly rules: ComparisonRules;
  /** Hash of the scenario as it was read, before strategies were put in and left out. */
  readonly sourceHash: string;
  readonly baseline: string;
  readonly comparison: Comparison;
  readonly ablation: Ablation | undefined;
}

/** Also the output of --json. */
export function comparisonJson({ scenario, strategies, seed, nights, ...run }: ComparisonRun): string {
  const { comparison, ablation, rules, baseline, sourceHash } = run;
  const { errorEach, winner, because, ...rest } = comparison;
  const said = {
    scenario: scenario.name,
    scenario_hash: sourceHash,
    seed,
    nights,
    strategies,
    baseline,
    figure: rules.figure,
    margin: rules.margin,
    price: scenario.price === undefined ? null : snake(scenario.price),
    intervals: { kind: 'paired t, all together (max-T)', confidence: CONFIDENCE, error_each: errorEach },
    winner: winner ?? null,
    because,
    ...snake(rest),
    ablation: ablation === undefined ? null : snake(ablation),
  };
  return `${JSON.stringify(said, (_key, value: unknown) => (value === undefined ? null : value), 2)}\n`;
}

const DIFFERENCE_COLUMNS = ['a', 'b', 'measure', 'mean', 'low', 'high', 'sd', 'relative', 'decides', 'better'] as const;
const EFFECT_COLUMNS = ['patches', 'view', 'measure', 'mean', 'low', 'high', 'sd'] as const;

/** Name and text of each file but the scenario and the nights. */
export function comparisonFiles(run: ComparisonRun): Readonly<Record<string, string>> {
  return {
    'comparison.json': comparisonJson(run),
    'differences.csv': toCsv(DIFFERENCE_COLUMNS, differenceRows(run.comparison)),
    ...(run.ablation === undefined ? {} : { 'effects.csv': toCsv(EFFECT_COLUMNS, effectRows(run.ablation)) }),
  };
}

/** What repeats the comparison, from the copy of the scenario in the folder. */
export function compareCommand(run: ComparisonRun, priceOfFile: Price | undefined): string {
  const { strategies, ablation, baseline, rules, nights, seed, scenario } = run;
  const price = scenario.price?.perCall;
  return [
    'storm compare scenario.yaml',
    ...(ablation === undefined ? strategies.map((name) => `--strategy ${name}`) : ['--ablation']),
    `--baseline ${baseline} --figure ${rules.figure} --margin ${rules.margin}`,
    ...(price === undefined || price === priceOfFile?.perCall ? [] : [`--price-per-call ${price}`]),
    `--nights ${nights} --seed ${seed}`,
  ].join(' ');
}

function differenceRows({ differences, decisions }: Comparison) {
  return differences.map((each) => {
    const decision = decisions.find(({ a, b }) => (a === each.a && b === each.b) || (a === each.b && b === each.a));
    const decides = decision?.difference.measure === each.measure;
    return { ...each, decides: decides ? 1 : 0, better: decides ? decision.better : undefined };
  });
}

function effectRows({ effects, interactions }: Ablation) {
  return [
    ...effects.map(({ patch, ...rest }) => ({ patches: patch as string, ...rest })),
    ...interactions.map(({ patches, ...rest }) => ({ patches: patches.join(' and '), view: 'interaction', ...rest })),
  ];
}

/** The differences to the baseline, a strategy at a time, in the order of the standings. */
export function toBaseline({ comparison, baseline, rules }: ComparisonRun) {
  return comparison.standings
    .filter(({ strategy }) => strategy !== baseline)
    .map(({ strategy }) => ({
      strategy,
      of: (measure: ComparisonRules['figure'] = rules.figure) =>
        differenceOf(comparison.differences, strategy, baseline, measure),
    }));
}
