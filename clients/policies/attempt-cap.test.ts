// Holds that an operation is never sent more often than the cap says, and that the cap leaves the wait to others.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { Retry } from '../policy.ts';
import { resultOf } from '../testing.ts';
import { attemptCap } from './attempt-cap.ts';

const PROPOSAL: Retry = { kind: 'retry', waitMs: 300, because: 'backoff' };
const EXHAUSTED = { kind: 'stop', reason: 'attempts_exhausted', scope: 'operation' };

test('the attempt that reaches the cap is the last, whatever was proposed', () => {
  for (const [attempt, cap, expected] of [
    [1, 4, PROPOSAL],
    [3, 4, PROPOSAL],
    [4, 4, EXHAUSTED],
    [5, 4, EXHAUSTED],
    [1, 1, EXHAUSTED],
  ] as const) {
    const decision = attemptCap(cap).decide?.(resultOf('error500', { attempt }), PROPOSAL);
    assert.deepEqual(decision, expected, `attempt ${attempt} of ${cap}`);
  }
});

test('below the cap it has no opinion of its own', () => {
  assert.equal(attemptCap(4).decide?.(resultOf('error500', { attempt: 3 }), undefined), undefined);
});

test('asked after every failure, an operation makes exactly as many attempts as the cap', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 1000 }), (cap) => {
      const policy = attemptCap(cap);
      let attempt = 1;
      while (policy.decide?.(resultOf('error500', { attempt }), PROPOSAL)?.kind === 'retry') attempt++;
      assert.equal(attempt, cap);
    }),
    { numRuns: 50 },
  );
});
