// What each of the four patches of the storm is worth: the batch client with every one of the 16 combinations, on common
// nights, and what a patch changes alone, on average, and on top of the other three.

import { PATCHES, type Patch, patched } from '../../../clients/strategies/patches.ts';
import type { StrategySettings } from '../../../clients/strategies/settings.ts';
import { inputMistake } from '../../input-error.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { type Contrast, type MeanEstimate, simultaneousMeans } from '../../statistics/simultaneous.ts';
import { strategyOf } from '../derive.ts';
import type { Measure } from '../measures.ts';
import { pairs } from './compare.ts';
import type { NightColumns } from './night-table.ts';

const BASE = 'naive';
const SOURCE = 'guarded';

/** Every combination, from none to all. */
export const COMBINATIONS: readonly (readonly Patch[])[] = Array.from({ length: 2 ** PATCHES.length }, (_, bits) =>
  PATCHES.filter((_patch, index) => ((bits >> index) & 1) === 1),
);

export function combinationName(patches: readonly Patch[]): string {
  return patches.length === 0 ? BASE : `${BASE}-with-${patches.join('-and-')}`;
}

/**
 * The 16 strategies: the scenario's naive client, and the patches as its guarded one has them.
 * @throws InputError when these two are not such clients
 */
export function combinations(scenario: Scenario): Readonly<Record<string, StrategySettings>> {
  const base = strategyOf(scenario, BASE);
  const source = strategyOf(scenario, SOURCE);
  try {
    return Object.fromEntries(
      COMBINATIONS.map((patches) => [combinationName(patches), patched(base, patches, source)] as const),
    );
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    const allowed = 'a scenario whose naive works in batches and whose guarded has every patch';
    throw inputMistake('command line', '--ablation', `${scenario.name} (${error.message})`, allowed);
  }
}

/** `alone`: added to the naive client. `average`: over all combinations of the others. `last`: added to the other three. */
export const VIEWS = ['alone', 'average', 'last'] as const;
export type View = (typeof VIEWS)[number];

export interface PatchEffect extends MeanEstimate {
  readonly patch: Patch;
  readonly view: View;
  readonly measure: Measure;
}

/** How much more (or less) a patch changes when another one is there: half of the difference of its effects. */
export interface Interaction extends MeanEstimate {
  readonly patches: readonly [Patch, Patch];
  readonly measure: Measure;
}

export interface Ablation {
  readonly effects: readonly PatchEffect[];
  readonly interactions: readonly Interaction[];
  readonly errorEach: number;
}

/** All intervals hold together, with the confidence of one. */
export function ablation(table: NightColumns, seed: number): Ablation {
  const { measures } = table;
  const effects = measures.flatMap((measure) =>
    PATCHES.flatMap((patch) => VIEWS.map((view) => ({ patch, view, measure }))),
  );
  const interactions = measures.flatMap((measure) => pairs(PATCHES).map((patches) => ({ patches, measure })));
  const contrasts = [
    ...effects.map(({ patch, view, measure }) => contrast(table, measure, (with_) => effectWeight(with_, patch, view))),
    ...interactions.map(({ patches, measure }) =>
      contrast(
        table,
        measure,
        (with_) => (sign(with_, patches[0]) * sign(with_, patches[1])) / (COMBINATIONS.length / 2),
      ),
    ),
  ];
  const { estimates, errorEach } = simultaneousMeans(contrasts, seed);
  const estimate = (index: number): MeanEstimate => {
    const found = estimates[index];
    if (found === undefined) throw new RangeError(`no estimate ${index}`);
    return found;
  };
  return {
    effects: effects.map((each, index) => ({ ...each, ...estimate(index) })),
    interactions: interactions.map((each, index) => ({ ...each, ...estimate(effects.length + index) })),
    errorEach,
  };
}

const sign = (with_: readonly Patch[], patch: Patch): number => (with_.includes(patch) ? 1 : -1);

/** Weight of a combination in an effect; the weights of those with the patch add up to 1, of those without it to -1. */
function effectWeight(with_: readonly Patch[], patch: Patch, view: View): number {
  const others = with_.filter((each) => each !== patch).length;
  const counts = view === 'average' || others === (view === 'alone' ? 0 : PATCHES.length - 1);
  if (!counts) return 0;
  return sign(with_, patch) / (view === 'average' ? COMBINATIONS.length / 2 : 1);
}

/** The weighted sum of the combinations, night by night. */
function contrast(table: NightColumns, measure: Measure, weight: (with_: readonly Patch[]) => number): Contrast {
  const { nights } = table;
  const sums = new Float64Array(nights);
  for (const patches of COMBINATIONS) {
    const share = weight(patches);
    if (share === 0) continue;
    const values = table.column(combinationName(patches), measure);
    for (let night = 0; night < nights; night++) sums[night] = (sums[night] ?? 0) + share * (values[night] ?? 0);
  }
  return sums;
}
