// Holds that attempts are never closer than the rate allows, whoever asks and however often.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { operationOf, waitOf } from '../testing.ts';
import { rateCap } from './rate-cap.ts';

test('two a second: one every 500 ms, and the wait says when', () => {
  const policy = rateCap({ perS: 2 });
  assert.equal(policy.admit?.(operationOf(), 0), undefined);
  assert.equal(waitOf(policy.admit?.(operationOf(), 100)), 400);
  assert.equal(policy.admit?.(operationOf(), 500), undefined);
});

test('an attempt that another policy refuses takes no turn', () => {
  const policy = rateCap({ perS: 2 });
  assert.equal(policy.admit?.(operationOf(), 1000), undefined);
  policy.withdraw?.(operationOf());
  assert.equal(policy.admit?.(operationOf(), 1000), undefined);
});

test('no two admitted attempts are closer than the spacing', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0.1, max: 1000, noNaN: true }),
      fc.array(fc.nat(300), { maxLength: 200 }),
      (perS, steps) => {
        const policy = rateCap({ perS });
        let nowMs = 0;
        let lastMs = Number.NEGATIVE_INFINITY;
        for (const step of steps) {
          nowMs += step;
          if (policy.admit?.(operationOf(), nowMs) !== undefined) continue;
          assert.ok(nowMs - lastMs >= 1000 / perS);
          lastMs = nowMs;
        }
      },
    ),
  );
});
