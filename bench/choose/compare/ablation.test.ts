// The ablation: all combinations of the four patches, and effects that come out as they were put in.

import assert from 'node:assert/strict';
import test from 'node:test';
import { CATALOGUE } from '../../../clients/strategies/catalogue.ts';
import { PATCHES, type Patch } from '../../../clients/strategies/patches.ts';
import { loadScenario } from '../../scenario/load.ts';
import { smallStorm } from '../../testing.ts';
import { ablation, COMBINATIONS, combinationName, combinations, VIEWS, type View } from './ablation.ts';
import type { NightColumns } from './night-table.ts';

test('sixteen strategies, of which the first and those with one patch are those of the catalogue', () => {
  assert.equal(new Set(COMBINATIONS.map((patches) => patches.join())).size, 16);
  const { scenario } = loadScenario('storm-night');
  const made = combinations(scenario);
  assert.equal(Object.keys(made).length, 16);
  assert.deepEqual(made.naive, scenario.strategies.naive);
  const pause = { pauseAfterPassMs: 100 };
  for (const patch of PATCHES) {
    const name = combinationName([patch]);
    const { scheduler, ...rest } = CATALOGUE[name]?.settings ?? assert.fail(name);
    assert.deepEqual(made[name], { ...rest, scheduler: { ...scheduler, ...pause } }, name);
  }
});

test('a scenario with other clients of these names is a mistake in one line', () => {
  const scheduler = { kind: 'checkpointed_items', concurrency: 1, hold_slot_while_waiting: true };
  const other = smallStorm({ 'strategies.naive': { scheduler, policies: [] }, fitted: [] });
  assert.throws(() => combinations(other), /--ablation: got "storm-night .*; allowed: a scenario whose naive works/);
});

/** Calls of a combination: 1000, what each patch adds, what two add together, and a noise that all share. */
function calls(patches: readonly Patch[], night: number): number {
  const has = (patch: Patch) => patches.includes(patch);
  return (
    1000 +
    (has('checkpoint') ? -400 : 0) +
    (has('budget') ? -100 : 0) +
    (has('backoff') ? 30 + (night % 5) : 0) +
    (has('checkpoint') && has('budget') ? 80 : 0) +
    ((night * 37) % 100)
  );
}

const TABLE: NightColumns = {
  strategies: COMBINATIONS.map(combinationName),
  measures: ['calls'],
  items: 100,
  nights: 25,
  column: (strategy) => {
    const patches = COMBINATIONS.find((each) => combinationName(each) === strategy) ?? assert.fail(strategy);
    return Float64Array.from({ length: 25 }, (_, night) => calls(patches, night));
  },
};

test('what a patch changes alone, on average and last, and what two change together', () => {
  const { effects, interactions } = ablation(TABLE, 1);
  const expected: Readonly<Record<Patch, Readonly<Record<View, number>>>> = {
    'retry-after': { alone: 0, average: 0, last: 0 },
    backoff: { alone: 32, average: 32, last: 32 },
    checkpoint: { alone: -400, average: -360, last: -320 },
    budget: { alone: -100, average: -60, last: -20 },
  };
  for (const patch of PATCHES)
    for (const view of VIEWS) {
      const effect = effects.find((each) => each.patch === patch && each.view === view) ?? assert.fail(patch);
      assert.equal(effect.mean.toFixed(9), expected[patch][view].toFixed(9), `${patch} ${view}`);
      assert.equal(effect.high > effect.low, patch === 'backoff', 'only what differs from night to night is uncertain');
    }
  for (const { patches, mean } of interactions)
    assert.equal(
      mean.toFixed(9),
      patches.join() === 'checkpoint,budget' ? '40.000000000' : '0.000000000',
      patches.join(),
    );
});
