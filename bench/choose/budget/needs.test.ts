// What a night needs, proved by cutting: with so many calls it is the night without a budget, with one call less it is stopped.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { runNight } from '../../night.ts';
import { NightPool } from '../../run/night-pool.ts';
import { runTrial } from '../../run/trial.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { smallStorm } from '../../testing.ts';
import { strategyOf, withStrategies } from '../derive.ts';
import { budgetOf, unlimited, withBudget, withoutBreaker } from './budgeted.ts';
import { finishing, needsNight, needsOf } from './needs.ts';
import { inBursts } from './worse.ts';

const storm = smallStorm({ 'task.items': 120, 'platform.gates.2.calls': 20_000 });
const bursts = inBursts(storm, { goodS: 2, badS: 2 });

const as = (scenario: Scenario, strategy: string, change: typeof unlimited): Scenario =>
  withStrategies(scenario, { [strategy]: change(strategyOf(scenario, strategy)) });

test('the calls of a night without a budget are the smallest budget with which it finishes, and the rest of it is the same', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(storm, bursts),
      fc.constantFrom('guarded', 'naive', 'naive-with-budget', 'aws-adaptive', 'full-jitter'),
      fc.integer({ min: 0, max: 10_000 }),
      async (scenario, strategy, seed) => {
        const trial = await runTrial({ scenario: as(scenario, strategy, unlimited), strategy, marks: [] }, seed);
        const needed = needsNight(trial).needed_calls ?? assert.fail('it does not finish');
        const night = (calls: number) =>
          runNight({
            scenario: as(scenario, strategy, (settings) => withBudget(settings, calls)),
            strategy,
            seed,
            clock: 'virtual',
          });
        const free = await night(1_000_000);
        assert.deepEqual({ ...(await night(needed)), scenarioHash: '' }, { ...free, scenarioHash: '' });
        assert.equal(free.stopReason, 'done');
        const short = await night(needed - 1);
        assert.equal(short.stopReason, 'budget_exceeded');
        assert.equal(
          short.platform.minutes.reduce((sum, { total }) => sum + total, 0),
          needed - 1,
        );
      },
    ),
    { numRuns: 60 },
  );
});

test('a night that its quota stops needs more than any budget', async () => {
  const poor = smallStorm({ 'task.items': 120, 'platform.gates.2.calls': 100 });
  const trial = await runTrial({ scenario: as(poor, 'guarded', unlimited), strategy: 'guarded', marks: [] }, 1);
  assert.equal(trial.stopReason, 'quota_exhausted');
  assert.equal(needsNight(trial).needed_calls, undefined);
});

test('one pass gives the curve: nights that finish with a budget are those that it does not stop', async () => {
  const settings = strategyOf(storm, 'guarded');
  const pool = new NightPool(2);
  const needs = await needsOf(
    { scenario: storm, settings, firstSeed: 1, nights: 40, marks: [100, 175] },
    pool,
    () => {},
  );
  assert.deepEqual(
    [...needs.sorted],
    [...needs.sorted].sort((a, b) => a - b),
  );
  for (const [index, budget] of [100, 175].entries()) {
    const scenario = as(storm, 'guarded', (own) => withBudget(own, budget));
    let finished = 0;
    let done = 0;
    for await (const trial of pool.trials({ scenario, strategy: 'guarded', firstSeed: 1, nights: 40 })) {
      if (trial.stopReason === 'done') finished++;
      done += trial.figures.items_done;
    }
    assert.equal(finishing(needs, budget), finished);
    assert.equal(needs.doneAt[index], done / (40 * 120));
  }
  await pool.close();
  assert.equal(needs.notByChance, 0);
  assert.ok(Math.abs(needs.failing - 0.31) < 0.03, `${needs.failing}`);
});

test('budgets are set where there is one, and added where there is none', () => {
  const guarded = strategyOf(storm, 'guarded');
  const envoy = strategyOf(storm, 'envoy');
  assert.equal(budgetOf(guarded), 15_000);
  assert.equal(budgetOf(withBudget(guarded, 7)), 7);
  assert.equal(withBudget(guarded, 7).policies.length, guarded.policies.length);
  assert.equal(budgetOf(envoy), undefined);
  assert.equal(unlimited(envoy), envoy);
  assert.equal(budgetOf(withBudget(envoy, 7)), 7);
  assert.deepEqual(
    withoutBreaker(guarded).policies.map(({ policy }) => policy),
    ['call_budget', 'quota_stop', 'attempt_cap', 'exponential_backoff', 'retry_after'],
  );
});
