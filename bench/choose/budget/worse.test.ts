// Worse nights: faults so many times as often, never beyond what a task can end in, and bursts with as many faults as before.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { loadScenario } from '../../scenario/load.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import { smallStorm } from '../../testing.ts';
import { BURSTS, inBursts, largestFactor, timesFaults } from './worse.ts';

const storm = loadScenario('storm-night').scenario;
const gate = (scenario = storm, kind = 'fault') => scenario.profile.gates.find((each) => each.gate === kind);

test('faults are scaled, and soft limits only where there are no faults', () => {
  assert.deepEqual(gate(timesFaults(storm, 1.5)), { gate: 'fault', rate: 0.375 });
  assert.deepEqual(gate(timesFaults(storm, 1.5), 'soft_limit'), gate(storm, 'soft_limit'));
  assert.deepEqual(gate(timesFaults(storm, 100)), { gate: 'fault', rate: 0.95 });
  const { scenario: bursty } = loadScenario('bursty');
  const worse = gate(timesFaults(bursty, 1.005), 'burst_fault');
  if (worse?.gate !== 'burst_fault') assert.fail('no bursts');
  assert.deepEqual([worse.goodRate.toFixed(6), worse.badRate.toFixed(6)], ['0.020100', '0.944700']);
  const without = (...kinds: readonly string[]): Scenario => ({
    ...storm,
    profile: { ...storm.profile, gates: storm.profile.gates.filter((each) => !kinds.includes(each.gate)) },
  });
  const softOnly = timesFaults(without('fault'), 2);
  assert.equal(
    softOnly.profile.gates.some((each) => each.gate === 'soft_limit' && each.rate === 0.16),
    true,
  );
  assert.equal(largestFactor(storm), 0.95 / 0.25);
  assert.equal(largestFactor(without('fault')), 0.95 / 0.08);
  assert.equal(largestFactor(without('fault', 'soft_limit')), undefined);
});

test('bursts have as many faults in time as the rate that they take the place of', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (rate) => {
      const burst = gate(inBursts(smallStorm({ 'platform.gates.4.rate': rate }), BURSTS), 'burst_fault');
      if (burst?.gate !== 'burst_fault') assert.fail('no bursts');
      const { goodS, badS, goodRate, badRate } = burst;
      assert.ok(goodRate >= 0 && goodRate <= 1 && badRate >= goodRate - 1e-12 && badRate <= 1);
      const inTime = (goodS * goodRate + badS * badRate) / (goodS + badS);
      assert.ok(Math.abs(inTime - rate) < 1e-9, `${inTime}, not ${rate}`);
    }),
  );
  const { scenario: bursty } = loadScenario('bursty');
  const preset = gate(bursty, 'burst_fault');
  const made = gate(inBursts(storm, BURSTS), 'burst_fault');
  if (preset?.gate !== 'burst_fault' || made?.gate !== 'burst_fault') assert.fail('no bursts');
  assert.deepEqual(
    [made.goodS, made.badS, made.goodRate.toFixed(9), made.badRate.toFixed(9)],
    [preset.goodS, preset.badS, preset.goodRate.toFixed(9), preset.badRate.toFixed(9)],
  );
});
