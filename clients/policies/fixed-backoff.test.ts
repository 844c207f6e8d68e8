// Holds that the wait is the same for every attempt, every kind of failure and every proposal.

import assert from 'node:assert/strict';
import test from 'node:test';
import { REPLY_CLASSES } from '../policy.ts';
import { resultOf } from '../testing.ts';
import { fixedBackoff } from './fixed-backoff.ts';

test('the same wait, whatever came back and however often', () => {
  for (const waitMs of [0, 1, 200, 2 ** 31 - 1]) {
    const policy = fixedBackoff({ waitMs });
    for (const replyClass of REPLY_CLASSES) {
      for (const attempt of [1, 2, 10, 2 ** 53]) {
        const decision = policy.decide?.(resultOf(replyClass, { attempt }), undefined);
        assert.deepEqual(decision, { kind: 'retry', waitMs, because: 'backoff' });
      }
    }
  }
});

test('it overrules the proposal before it, as every backoff does', () => {
  const proposal = { kind: 'retry', waitMs: 9999, because: 'retry_after' } as const;
  const decision = fixedBackoff({ waitMs: 200 }).decide?.(resultOf('limit429'), proposal);
  assert.deepEqual(decision, { kind: 'retry', waitMs: 200, because: 'backoff' });
});
