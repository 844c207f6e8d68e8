// Holds that every named policy is built under its own name, in order, with state that no two builds share.

import assert from 'node:assert/strict';
import test from 'node:test';
import { operationOf, resultOf } from '../testing.ts';
import { buildPolicies, type PolicySettings } from './build-policies.ts';
import { CATALOGUE } from './catalogue.ts';

const JITTERY: PolicySettings = { policy: 'exponential_backoff', baseMs: 300, capMs: 5000, jitterMs: [0, 200] };

const waits = (seed: number, chance?: string) => {
  const [backoff] = buildPolicies([JITTERY], seed, { chance });
  return Array.from({ length: 20 }, (_, item) =>
    backoff?.decide?.(resultOf('error500', { operation: operationOf(item + 1) }), undefined),
  );
};

test('each policy of each named strategy, in the order of the settings', () => {
  for (const [name, { settings }] of Object.entries(CATALOGUE)) {
    const built = buildPolicies(settings.policies, 1).map((policy) => policy.name);
    assert.deepEqual(
      built,
      settings.policies.map(({ policy }) => policy),
      name,
    );
  }
});

test('two builds share no state', () => {
  const settings: PolicySettings[] = [{ policy: 'call_budget', calls: 1 }];
  for (let build = 0; build < 2; build++) {
    const [budget] = buildPolicies(settings, 1);
    assert.equal(budget?.admit?.(operationOf(), 0), undefined);
    assert.equal(budget?.admit?.(operationOf(), 0)?.kind, 'stop');
  }
});

test('under a name of its own the jitter is another, and the same under the same name', () => {
  assert.deepEqual(waits(7, 'mine'), waits(7, 'mine'));
  assert.notDeepEqual(waits(7, 'mine'), waits(7, 'yours'));
  assert.notDeepEqual(waits(7, 'mine'), waits(7));
});

test('the jitter is the seed’s: same seed, same waits, other seed, others', () => {
  assert.deepEqual(waits(7), waits(7));
  assert.notDeepEqual(waits(7), waits(8));
});
