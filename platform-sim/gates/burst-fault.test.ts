// Bursts: the mean rate is what the settings make it, spells follow the seed, and between bursts the good rate holds.

import assert from 'node:assert/strict';
import test from 'node:test';
import { stream } from '../draws.ts';
import { type BurstFaultSettings, burstFault } from './burst-fault.ts';

const SETTINGS: BurstFaultSettings = { goodS: 90, badS: 30, goodRate: 0, badRate: 1 };
const arrival = (nowMs: number, key = 1) => ({ nowMs, key, ordinal: 0, host: 'platform', billed: true, lost: false });

/** Whether a request each second fails, over so many seconds. */
function failures(settings: BurstFaultSettings, seed: number, seconds: number): boolean[] {
  const gate = burstFault(settings, stream(seed, 'burst_fault'), stream(seed, 'burst_fault-spells'));
  return Array.from({ length: seconds }, (_, second) => gate.examine(arrival(second * 1000, second)) !== undefined);
}

test('the share of bad time is that of the mean lengths, and spells are as long as said', () => {
  const failed = failures(SETTINGS, 7, 400_000);
  const share = failed.filter(Boolean).length / failed.length;
  assert.ok(Math.abs(share - 0.25) < 0.01, `${share}`);
  const changes = failed.filter((bad, second) => second > 0 && bad !== failed[second - 1]).length;
  const spell = failed.length / changes;
  assert.ok(spell > 58 && spell < 64, `${spell} s a spell instead of 60`);
});

test('rates hold in each kind of spell: equal ones make independent faults', () => {
  const mixed = failures({ ...SETTINGS, goodRate: 0.2, badRate: 0.2 }, 3, 50_000);
  assert.ok(Math.abs(mixed.filter(Boolean).length / mixed.length - 0.2) < 0.01);
  assert.equal(failures({ ...SETTINGS, badRate: 0 }, 3, 5000).includes(true), false);
});

test('the same seed gives the same night, another seed another one', () => {
  assert.deepEqual(failures(SETTINGS, 5, 5000), failures(SETTINGS, 5, 5000));
  assert.notDeepEqual(failures(SETTINGS, 5, 5000), failures(SETTINGS, 6, 5000));
});
