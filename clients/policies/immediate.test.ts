// Holds that the naive policy asks again at once, whatever came back and whatever was proposed.

import assert from 'node:assert/strict';
import test from 'node:test';
import { REPLY_CLASSES } from '../policy.ts';
import { resultOf } from '../testing.ts';
import { immediate } from './immediate.ts';

test('no wait after any kind of failure', () => {
  for (const replyClass of REPLY_CLASSES) {
    const proposal = { kind: 'retry', waitMs: 5000, because: 'backoff' } as const;
    for (const before of [undefined, proposal]) {
      const decision = immediate().decide?.(resultOf(replyClass), before);
      assert.deepEqual(decision, { kind: 'retry', waitMs: 0, because: 'immediate' }, replyClass);
    }
  }
});
