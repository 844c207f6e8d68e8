// Comparisons: who wins and when nobody does, on nights made up for it and on nights of strategies that are the same in all but
// name.

import assert from 'node:assert/strict';
import test, { after, before } from 'node:test';
import { stream } from '../../../platform-sim/draws.ts';
import { NightPool } from '../../run/night-pool.ts';
import { parseScenario } from '../../scenario/load.ts';
import { SourceFile } from '../../scenario/source-file.ts';
import { changedPreset } from '../../testing.ts';
import type { Measure } from '../measures.ts';
import { type Comparison, type ComparisonRules, compare, differenceOf } from './compare.ts';
import { type NightColumns, nightTable } from './night-table.ts';

const RULES: ComparisonRules = { figure: 'calls', margin: 0.01, seed: 1 };
const NOISE = stream(1, 'test:noise');

/** A table of nights from the mean of each measure and a noise of this size, the same for nobody. */
function made(
  nights: number,
  strategies: Readonly<Record<string, Partial<Record<Measure, readonly [mean: number, noise: number]>>>>,
): NightColumns {
  const measures = ['calls', 'items_done'] as const;
  const names = Object.keys(strategies);
  const column = (strategy: string, measure: Measure) => {
    const [mean, noise] = strategies[strategy]?.[measure] ?? assert.fail(measure);
    const key = names.indexOf(strategy) * 2 + measures.indexOf(measure as 'calls');
    return Float64Array.from({ length: nights }, (_, night) => mean + noise * (NOISE(key, night) - 0.5));
  };
  return { strategies: names, measures, items: 1000, nights, column };
}

const ranks = ({ standings }: Comparison) =>
  Object.fromEntries(standings.map(({ strategy, rank }) => [strategy, rank.join('-')]));

test('between strategies that do as many items the figure decides, and the one with fewer calls wins', () => {
  const table = made(20, {
    dear: { calls: [1500, 20], items_done: [1000, 0] },
    cheap: { calls: [1400, 20], items_done: [995, 2] },
  });
  const result = compare(table, RULES);
  assert.equal(result.winner, 'cheap');
  assert.deepEqual(ranks(result), { cheap: '1-1', dear: '2-2' });
  const { mean, low, high, relative = 0 } = differenceOf(result.differences, 'cheap', 'dear', 'calls');
  assert.ok(low < mean && mean < high && high < 0 && Math.abs(mean + 100) < 10);
  assert.ok(Math.abs(relative + 100 / 1500) < 0.01);
  const back = differenceOf(result.differences, 'dear', 'cheap', 'calls');
  assert.deepEqual([back.mean, back.low, back.high], [-mean, -high, -low]);
  assert.ok(Math.abs((back.relative ?? 0) - 100 / 1400) < 0.01);
});

test('one that does less is behind, however cheap it is; with a margin of 1 only the figure counts', () => {
  const table = made(20, {
    lazy: { calls: [300, 20], items_done: [300, 20] },
    dear: { calls: [1500, 20], items_done: [1000, 0] },
  });
  const result = compare(table, RULES);
  assert.equal(result.winner, 'dear');
  assert.deepEqual(
    result.standings.map(({ complete }) => complete),
    [true, false],
  );
  assert.equal(result.decisions[0]?.difference.measure, 'items_done');
  assert.equal(compare(table, { ...RULES, margin: 1 }).winner, 'lazy');
});

test('no winner on fewer than six nights, however clear they are', () => {
  const clear: Parameters<typeof made>[1] = {
    dear: { calls: [1500, 1], items_done: [1000, 0] },
    cheap: { calls: [1400, 1], items_done: [1000, 0] },
  };
  for (const [nights, winner] of [
    [2, undefined],
    [5, undefined],
    [6, 'cheap'],
  ] as const) {
    const result = compare(made(nights, clear), RULES);
    assert.equal(result.winner, winner, `${nights} nights`);
    if (winner === undefined) {
      assert.match(result.because, /too few/);
      assert.deepEqual(ranks(result), { dear: '1-2', cheap: '1-2' });
    }
  }
});

test('no winner while one other can not be told apart, and ranks say how far they are open', () => {
  const result = compare(
    made(20, {
      a: { calls: [1400, 100], items_done: [1000, 0] },
      b: { calls: [1401, 100], items_done: [1000, 0] },
      c: { calls: [2000, 100], items_done: [1000, 0] },
    }),
    RULES,
  );
  assert.equal(result.winner, undefined);
  assert.match(result.because, /do not tell [ab] from [ab]$/);
  assert.deepEqual(ranks(result), { a: '1-2', b: '1-2', c: '3-3' });
});

let pool: NightPool;
before(() => {
  pool = new NightPool(2);
});
after(() => pool.close());

/** An edge so tight that jitter moves calls, on small nights; `twin` differs from `guarded` in the given field alone. */
function twins(chance: object) {
  const text = changedPreset('tight-edge', {
    'task.items': 60,
    'platform.gates.0.burst': 4,
    'platform.gates.4.rate': 0.3,
    fitted: [],
    strategies: { guarded: {}, twin: { extends: 'guarded', ...chance } },
  });
  return parseScenario(SourceFile.parse('twins.yaml', text)).scenario;
}

async function comparisons(chance: object, figure: Measure, nights: number, count: number, margin = 0.01) {
  const scenario = twins(chance);
  const results: Comparison[] = [];
  for (let each = 0; each < count; each++) {
    const seed = 1 + each * nights;
    const { table } = await nightTable({ scenario, strategies: ['guarded', 'twin'], seed, nights }, pool, () => {});
    results.push(compare(table, { figure, margin, seed }));
  }
  return results;
}

test('two that are the same in all but name: every difference is zero, and nobody wins', async () => {
  for (const { winner, differences } of await comparisons({}, 'calls', 6, 5)) {
    assert.equal(winner, undefined);
    for (const { mean, low, high } of differences) assert.deepEqual([mean, low, high], [0, 0, 0]);
  }
});

test('two that differ by their luck alone get no winner in at least 94 of 100 comparisons', async () => {
  for (const figure of ['calls', 'duration_s'] as const) {
    const results = await comparisons({ chance: 'twin' }, figure, 8, 100);
    const noisy = results.filter(({ differences }) =>
      differences.some((each) => each.measure === figure && each.sd > 0),
    );
    assert.equal(noisy.length, 100, `${figure} varies`);
    const none = results.filter(({ winner }) => winner === undefined).length;
    assert.ok(none >= 94, `${figure}: ${none} of 100`);
  }
});

test('and two that differ in more than luck get one', async () => {
  const slow = { set: { exponential_backoff: { base_ms: 3000 } }, chance: 'twin' };
  const results = await comparisons(slow, 'duration_s', 8, 5, 1);
  assert.deepEqual(
    results.map(({ winner }) => winner),
    new Array(5).fill('guarded'),
  );
});
