// Holds that a quota rejection, and nothing else, ends the whole task.

import assert from 'node:assert/strict';
import test from 'node:test';
import { REPLY_CLASSES, type Retry } from '../policy.ts';
import { resultOf } from '../testing.ts';
import { quotaStop } from './quota-stop.ts';

const PROPOSAL: Retry = { kind: 'retry', waitMs: 300, because: 'backoff' };

test('only quota429 stops, and stops the task', () => {
  for (const replyClass of REPLY_CLASSES) {
    const expected = replyClass === 'quota429' ? { kind: 'stop', reason: 'quota_exhausted', scope: 'task' } : PROPOSAL;
    assert.deepEqual(quotaStop().decide?.(resultOf(replyClass), PROPOSAL), expected, replyClass);
  }
});

test('it proposes nothing of its own', () => {
  assert.equal(quotaStop().decide?.(resultOf('limit429'), undefined), undefined);
});
