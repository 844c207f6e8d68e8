// The closed form: the figures of the storm night, agreement with nights, and what has none.

import assert from 'node:assert/strict';
import test from 'node:test';
import { NightPool } from '../../run/night-pool.ts';
import { loadScenario } from '../../scenario/load.ts';
import { smallStorm } from '../../testing.ts';
import { strategyOf } from '../derive.ts';
import { type ClosedForm, closedForm, closedLine } from './closed-form.ts';
import { needsOf } from './needs.ts';

const storm = loadScenario('storm-night').scenario;

function formOf(scenario = storm, strategy = 'guarded'): ClosedForm {
  const form = closedForm(scenario, strategyOf(scenario, strategy));
  if ('none' in form) assert.fail(form.none);
  return form;
}

test('the storm night: mean 13,006, standard deviation 74.3, and the line of 99 %', () => {
  const form = formOf();
  assert.equal(form.mean.toFixed(1), '13006.1');
  assert.equal(form.sd.toFixed(1), '74.3');
  assert.equal(form.failing.toFixed(4), '0.3100');
  // The normal curve puts it one call lower than the distribution itself, which reaches 98.97 % there.
  assert.deepEqual(closedLine(form, 0.99), { exact: 13_180, normal: 13_179 });
  assert.equal(form.assumes.length, 4);
});

test('one item: its attempts are geometric and end at the cap', () => {
  const { calls } = formOf(smallStorm({ 'task.items': 1 }));
  const q = 0.31;
  const expected = [1 - q, q * (1 - q), q ** 2 * (1 - q), q ** 3 * (1 - q), q ** 4];
  assert.equal(calls.first, 1);
  assert.deepEqual(
    [...calls.p].map((p) => p.toFixed(12)),
    expected.map((p) => p.toFixed(12)),
  );
});

test('without a cap it goes on until it succeeds', () => {
  const own = strategyOf(storm, 'guarded');
  const form = closedForm(storm, { ...own, policies: own.policies.filter(({ policy }) => policy !== 'attempt_cap') });
  if ('none' in form) assert.fail(form.none);
  assert.equal(form.mean.toFixed(3), (9000 / 0.69).toFixed(3));
  assert.equal(form.sd.toFixed(3), Math.sqrt((9000 * 0.31) / 0.69 ** 2).toFixed(3));
});

test('nights agree with it', async () => {
  const scenario = smallStorm({ 'task.items': 100, 'platform.gates.2.calls': 20_000 });
  const { mean, sd } = formOf(scenario);
  const nights = 400;
  const pool = new NightPool(2);
  const settings = strategyOf(scenario, 'guarded');
  const { sorted } = await needsOf({ scenario, settings, firstSeed: 1, nights }, pool, () => {});
  await pool.close();
  const average = sorted.reduce((sum, calls) => sum + calls, 0) / nights;
  const spread = Math.sqrt(sorted.reduce((sum, calls) => sum + (calls - average) ** 2, 0) / (nights - 1));
  assert.ok(Math.abs(average - mean) < (4 * sd) / Math.sqrt(nights), `${average}, not ${mean}`);
  assert.ok(Math.abs(spread / sd - 1) < 4 / Math.sqrt(2 * nights), `${spread}, not ${sd}`);
});

test('what has none says why', () => {
  const none: readonly (readonly [string, string, RegExp])[] = [
    ['bursty', 'guarded', /bursts/],
    ['outage', 'guarded', /gate outage/],
    ['scripted', 'guarded', /gate scripted/],
    ['storm-night', 'naive', /batches/],
    ['storm-night', 'deadline', /policy (deadline|classification)/],
    ['storm-night', 'ladder', /cache/],
    ['storm-night', 'envoy', /policy (envoy_budget|classification)/],
  ];
  for (const [preset, strategy, why] of none) {
    const { scenario } = loadScenario(preset);
    const form = closedForm(scenario, strategyOf(scenario, strategy));
    assert.match('none' in form ? form.none : 'there is one', why, `${preset} ${strategy}`);
  }
  const own = strategyOf(storm, 'guarded');
  const stubborn = { ...own, policies: own.policies.filter(({ policy }) => policy !== 'exponential_backoff') };
  assert.deepEqual(closedForm(storm, stubborn), { none: 'the strategy does not try again' });
});
