// Nights of which little is kept: the same as whole nights, from any number of workers; and the items done at so many calls are
// those that a budget of so many calls gets done.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { figures } from '../books/figures.ts';
import { withBudget } from '../choose/budget/budgeted.ts';
import { strategyOf, withStrategies } from '../choose/derive.ts';
import { runNight } from '../night.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { smallStorm } from '../testing.ts';
import { NightPool } from './night-pool.ts';
import { runTrial, type Trial } from './trial.ts';

const scenario = smallStorm({ 'task.items': 150, 'platform.gates.2.calls': 20_000 });

test('a trial is its night, whoever runs it', async () => {
  const expected: Trial[] = [];
  for (let seed = 3; seed < 26; seed++) {
    const night = await runNight({ scenario, strategy: 'naive', seed, clock: 'virtual' });
    const { doneAt, ...trial } = await runTrial({ scenario, strategy: 'naive', marks: [100, 200] }, seed);
    assert.deepEqual(trial, { seed, figures: figures(night), stopReason: night.stopReason, discrepancies: 0 });
    expected.push({ ...trial, doneAt });
  }
  for (const workers of [1, 3]) {
    const pool = new NightPool(workers);
    const trials: Trial[] = [];
    const series = { scenario, strategy: 'naive', firstSeed: 3, nights: 23, marks: [100, 200] };
    for await (const trial of pool.trials(series)) trials.push(trial);
    await pool.close();
    assert.deepEqual(trials, expected, `${workers} workers`);
  }
});

const cut = (budget: number, strategy: string): Scenario =>
  withStrategies(scenario, { [strategy]: withBudget(strategyOf(scenario, strategy), budget) });

test('items done at a mark are those of a night with that budget', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('guarded', 'naive', 'envoy'),
      fc.integer({ min: 1, max: 1000 }),
      fc.integer({ min: 1, max: 700 }),
      async (strategy, seed, budget) => {
        const whole = withStrategies(scenario, { [strategy]: strategyOf(scenario, strategy) });
        const { doneAt } = await runTrial({ scenario: whole, strategy, marks: [budget, 10_000] }, seed);
        const limited = await runNight({ scenario: cut(budget, strategy), strategy, seed, clock: 'virtual' });
        assert.equal(doneAt[0], limited.items.done);
        const free = await runNight({ scenario: whole, strategy, seed, clock: 'virtual' });
        assert.equal(doneAt[1], free.items.done);
      },
    ),
    { numRuns: 40 },
  );
});
