// Holds how an operation counts for whoever asked for it, over every method, key, reason to stop, and row of attempts.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { leavesDoubt, mayHaveActed, OUTCOMES, type Outcome, outcomeOf } from './outcome.ts';
import { REPLY_CLASSES, type ReplyClass, type Stop } from './policy.ts';
import type { Method } from './ports.ts';
import { STOP_REASONS, type StopReason } from './stop-reasons.ts';
import { operationOf, resultOf } from './testing.ts';

fc.configureGlobal({ seed: 20261021 });

/** What an attempt came back as; 504 is one of the statuses that have no class of their own. */
type Ended = ReplyClass | 504;

interface Request {
  readonly method: Method;
  readonly idempotencyKey: string | undefined;
}

const KEY = 'guarded-1-1';
const READS: readonly Request[] = (['GET', 'HEAD'] as const).flatMap((method) => [
  { method, idempotencyKey: undefined },
  { method, idempotencyKey: KEY },
]);
const REPEATABLE: readonly Request[] = [
  ...(['PUT', 'DELETE'] as const).map((method) => ({ method, idempotencyKey: undefined })),
  ...(['PUT', 'DELETE', 'POST', 'PATCH'] as const).map((method) => ({ method, idempotencyKey: KEY })),
];
const UNREPEATABLE: readonly Request[] = [
  { method: 'POST', idempotencyKey: undefined },
  { method: 'PATCH', idempotencyKey: undefined },
];
const ALL = [...READS, ...REPEATABLE, ...UNREPEATABLE];
const SCOPES = ['operation', 'task'] as const;
/** Reasons for which any attempt may have been the last; the others come with an outcome of their own. */
const ANY_TIME = STOP_REASONS.filter((reason) => reason !== 'done' && reason !== 'outcome_unknown');

/** The outcome of an operation whose attempts came back so, one after the other. */
function outcomes(request: Request, attempts: readonly Ended[], reason: StopReason): Outcome[] {
  const operation = { ...operationOf(), ...request };
  for (const ended of attempts) {
    const replyClass = ended === 504 ? 'other' : ended;
    const { reply } = resultOf(replyClass);
    const received = ended === 504 && reply !== undefined ? { ...reply, status: 504 } : reply;
    operation.inDoubt = leavesDoubt(operation, replyClass, received);
    operation.last = replyClass;
  }
  return SCOPES.map((scope) => outcomeOf(operation, { kind: 'stop', reason, scope } satisfies Stop));
}

type Row = readonly [attempts: readonly Ended[], reads: Outcome, repeatable: Outcome, write: Outcome];

/** What a caller knows after one attempt, by what the request was. */
const ONE_ATTEMPT: readonly Row[] = [
  [[], 'not_sent', 'not_sent', 'not_sent'],
  [['limit429'], 'failure', 'failure', 'failure'],
  [['quota429'], 'failure', 'failure', 'failure'],
  [['error500'], 'failure', 'failure', 'unknown'],
  [['error503'], 'failure', 'failure', 'unknown'],
  [['other'], 'failure', 'failure', 'failure'],
  [[504], 'failure', 'failure', 'unknown'],
  [['no_reply'], 'unknown', 'unknown', 'unknown'],
  [['never_arrived'], 'failure', 'failure', 'failure'],
];

/** A refusal, or a request that never arrived, takes back nothing that an attempt before it may have done. */
const SEVERAL: readonly Row[] = [
  [['no_reply', 'never_arrived'], 'failure', 'unknown', 'unknown'],
  [['no_reply', 'limit429'], 'failure', 'unknown', 'unknown'],
  [['no_reply', 'quota429'], 'failure', 'unknown', 'unknown'],
  [['no_reply', 'never_arrived', 'limit429', 'never_arrived'], 'failure', 'unknown', 'unknown'],
  [['never_arrived', 'limit429'], 'failure', 'failure', 'failure'],
  [['limit429', 'never_arrived'], 'failure', 'failure', 'failure'],
  [['never_arrived', 'no_reply'], 'unknown', 'unknown', 'unknown'],
  [['error500', 'limit429'], 'failure', 'failure', 'unknown'],
  [['error503', 'never_arrived'], 'failure', 'failure', 'unknown'],
  [[504, 'never_arrived'], 'failure', 'failure', 'unknown'],
  [['no_reply', 'other'], 'failure', 'failure', 'unknown'],
  [['no_reply', 'error500'], 'failure', 'failure', 'unknown'],
  [['no_reply', 'other', 'limit429'], 'failure', 'failure', 'unknown'],
];

for (const [name, rows] of Object.entries({ 'one attempt': ONE_ATTEMPT, 'several attempts': SEVERAL })) {
  test(`${name}: what came back decides, not the reason to stop: each method and key`, () => {
    for (const [attempts, reads, repeatable, write] of rows) {
      for (const [requests, expected] of [
        [READS, reads],
        [REPEATABLE, repeatable],
        [UNREPEATABLE, write],
      ] as const) {
        for (const request of requests) {
          for (const reason of ANY_TIME) {
            const which = `${request.method} ${request.idempotencyKey ?? 'without a key'}, ${attempts}, ${reason}`;
            assert.deepEqual(outcomes(request, attempts, reason), [expected, expected], which);
          }
        }
      }
    }
  });
}

test('every class is in the table of one attempt', () => {
  const named = new Set(ONE_ATTEMPT.flatMap(([attempts]) => attempts));
  for (const replyClass of REPLY_CLASSES.filter((each) => each !== 'ok')) assert.ok(named.has(replyClass), replyClass);
});

const ended = fc.constantFrom<Ended>(504, ...REPLY_CLASSES.filter((each) => each !== 'ok'));
const attempts = fc.array(ended, { minLength: 1, maxLength: 6 });

test('a write without a key is in doubt from the first attempt that may have acted, whatever comes after', () => {
  fc.assert(
    fc.property(attempts, fc.constantFrom(...UNREPEATABLE), (row, request) => {
      const acted = row.some((each) => each === 504 || mayHaveActed(each, resultOf(each).reply));
      const expected = acted ? 'unknown' : 'failure';
      assert.deepEqual(outcomes(request, row, 'attempts_exhausted'), [expected, expected]);
    }),
  );
});

test('an attempt that never arrived changes nothing about a write, wherever it stands among others', () => {
  fc.assert(
    fc.property(attempts, fc.nat(6), fc.constantFrom(...REPEATABLE, ...UNREPEATABLE), (row, at, request) => {
      const more = [...row.slice(0, at), 'never_arrived' as const, ...row.slice(at)];
      assert.deepEqual(outcomes(request, more, 'deadline'), outcomes(request, row, 'deadline'));
    }),
  );
});

test('done is a success, whatever came before it, an answer from the cache included', () => {
  for (const request of ALL) {
    for (const row of [[], ...ONE_ATTEMPT.map(([each]) => each), ...SEVERAL.map(([each]) => each)])
      assert.deepEqual(outcomes(request, row, 'done'), ['success', 'success']);
  }
});

test('a client that stops because it does not know says so', () => {
  for (const request of UNREPEATABLE) {
    for (const last of ['error500', 'error503', 'other', 'no_reply', 504] as const)
      assert.deepEqual(outcomes(request, [last], 'outcome_unknown'), ['unknown', 'unknown'], `${last}`);
  }
});

test('the four outcomes', () => {
  assert.deepEqual(OUTCOMES, ['success', 'failure', 'unknown', 'not_sent']);
});
