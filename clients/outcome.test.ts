// Holds how an operation counts for whoever asked for it, over every method, key, last reply and reason to stop.

import assert from 'node:assert/strict';
import test from 'node:test';
import { OUTCOMES, type Outcome, outcomeOf } from './outcome.ts';
import { REPLY_CLASSES, type ReplyClass, type Stop } from './policy.ts';
import type { Method } from './ports.ts';
import { STOP_REASONS, type StopReason } from './stop-reasons.ts';
import { operationOf, STATUS } from './testing.ts';

type Last = ReplyClass | undefined;

const METHODS: readonly Method[] = ['GET', 'HEAD', 'PUT', 'DELETE', 'POST', 'PATCH'];
const KEYS = [undefined, 'guarded-1-1'] as const;
const LAST: readonly Last[] = [undefined, ...REPLY_CLASSES];
const SCOPES = ['operation', 'task'] as const;
/** Reasons for which any attempt may have been the last; the others come with an outcome of their own. */
const ANY_TIME = STOP_REASONS.filter((reason) => reason !== 'done' && reason !== 'outcome_unknown');

function outcome(
  method: Method,
  idempotencyKey: string | undefined,
  last: Last,
  reason: StopReason,
  lastStatus = last === undefined ? undefined : STATUS[last],
): Outcome[] {
  return SCOPES.map((scope) => {
    const stop: Stop = { kind: 'stop', reason, scope };
    return outcomeOf({ ...operationOf(), method, idempotencyKey, lastStatus }, stop, last);
  });
}

/** What a caller knows after the last reply, by whether the request could have been repeated. */
const EXPECTED: readonly (readonly [last: Last, repeatable: Outcome, write: Outcome])[] = [
  [undefined, 'not_sent', 'not_sent'],
  ['limit429', 'failure', 'failure'],
  ['quota429', 'failure', 'failure'],
  ['error500', 'failure', 'unknown'],
  ['error503', 'failure', 'unknown'],
  ['other', 'failure', 'failure'],
  ['no_reply', 'unknown', 'unknown'],
];

test('a reply decides, not the reason to stop: each last reply, method and key', () => {
  for (const [last, repeatable, write] of EXPECTED) {
    for (const method of METHODS) {
      for (const key of KEYS) {
        const isWrite = (method === 'POST' || method === 'PATCH') && key === undefined;
        const expected = isWrite ? write : repeatable;
        for (const reason of ANY_TIME) {
          const which = `${method} ${key ?? 'without a key'}, ${last}, ${reason}`;
          assert.deepEqual(outcome(method, key, last, reason), [expected, expected], which);
        }
      }
    }
  }
});

test('done is a success, whatever came before it, an answer from the cache included', () => {
  for (const method of METHODS) {
    for (const key of KEYS) {
      for (const last of LAST) assert.deepEqual(outcome(method, key, last, 'done'), ['success', 'success']);
    }
  }
});

test('a client that stops because it does not know says so: also after a 502 or a 504, which have no class', () => {
  for (const method of ['POST', 'PATCH'] as const) {
    for (const last of ['error500', 'error503', 'other', 'no_reply'] as const) {
      const which = `${method}, ${last}`;
      assert.deepEqual(outcome(method, undefined, last, 'outcome_unknown'), ['unknown', 'unknown'], which);
    }
  }
});

test('a write that ended with a 502 or a 504 may have taken effect, whatever stopped it; with a 4xx it has not', () => {
  for (const reason of ANY_TIME) {
    for (const [status, expected] of [
      [502, 'unknown'],
      [504, 'unknown'],
      [400, 'failure'],
      [422, 'failure'],
    ] as const) {
      assert.deepEqual(
        outcome('POST', undefined, 'other', reason, status),
        [expected, expected],
        `${status}, ${reason}`,
      );
      assert.deepEqual(outcome('GET', undefined, 'other', reason, status), ['failure', 'failure']);
    }
  }
});

test('the four outcomes', () => {
  assert.deepEqual(OUTCOMES, ['success', 'failure', 'unknown', 'not_sent']);
});
