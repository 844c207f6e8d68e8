// The ledger by request: both records meet and are dropped, and whatever does not meet is named.

import assert from 'node:assert/strict';
import test from 'node:test';
import type { AttemptResult, ReplyClass } from '../../clients/policy.ts';
import type { Verdict } from '../../platform-sim/types.ts';
import { RequestJoin, type RequestRow, SEEN_AS } from './request-join.ts';

const verdict: Verdict = {
  verdictClass: 'edge',
  status: 429,
  billed: false,
  latencyMs: 20,
  lost: false,
  limitKind: 'edge',
  retryAfter: '1',
};
const DONE = { kind: 'stop', reason: 'done', scope: 'operation' } as const;

function result(replyClass: ReplyClass): AttemptResult {
  const operation = {
    client: 'guarded',
    item: 3,
    host: 'platform',
    pass: 1,
    startedMs: 0,
    method: 'GET',
    idempotencyKey: undefined,
    attempts: 1,
    ordinal: 1,
    sentMs: 10,
    firstSentMs: 10,
    previousWaitMs: 0,
    last: 'ok',
    inDoubt: false,
  } as const;
  return {
    operation,
    attempt: 1,
    sentMs: 10,
    receivedMs: 30,

    replyClass,
    noReply: undefined,
    told: { kind: 'absent' },
    reply: { status: 429, headers: {}, body: '' },
  };
}

function joined(play: (join: RequestJoin) => void): RequestRow[] {
  const rows: RequestRow[] = [];
  const join = new RequestJoin('guarded', (row) => rows.push(row));
  play(join);
  join.close();
  return rows;
}

test('both records of a request make one row', () => {
  const [row, ...rest] = joined((join) => {
    join.verdict('guarded', 1, 10, verdict);
    join.attempt(1, result('limit429'), { kind: 'retry', waitMs: 1000, because: 'retry_after' });
  });
  assert.deepEqual(rest, []);
  assert.equal(row?.request_id, 'guarded-1');
  assert.equal(row?.match, 'matched');
  assert.equal(row?.wait_ms, 1000);
  assert.equal(row?.verdict, 'edge');
});

test('a class that differs, a record without its twin, and one told twice are named', () => {
  const differs = joined((join) => {
    join.verdict('guarded', 1, 10, verdict);
    join.attempt(1, result('ok'), DONE);
  });
  assert.deepEqual(
    differs.map(({ match }) => match),
    ['class_differs'],
  );
  assert.deepEqual(
    joined((join) => join.attempt(1, result('ok'), DONE)).map(({ match }) => match),
    ['client_only'],
  );
  assert.deepEqual(
    joined((join) => join.verdict('other', 1, 10, verdict)).map(({ match, request_id }) => [match, request_id]),
    [['platform_only', 'other-1']],
  );
});

test('a request that never arrived has no record of the platform; with one, or with another end, the two disagree', () => {
  const matches = (replyClass: ReplyClass, arrived: boolean) =>
    joined((join) => {
      if (arrived) join.verdict('guarded', 1, 10, verdict);
      join.attempt(1, { ...result(replyClass), reply: undefined }, DONE);
    }).map(({ match }) => match);
  assert.deepEqual(matches('never_arrived', false), ['never_arrived']);
  assert.deepEqual(matches('never_arrived', true), ['class_differs']);
  assert.deepEqual(matches('no_reply', false), ['client_only']);
  assert.deepEqual(matches('no_reply', true), ['unheard']);
});

test('a client sees every class of verdict as one class of reply', () => {
  assert.deepEqual(SEEN_AS, {
    ok: 'ok',
    error500: 'error500',
    error503: 'error503',
    unavailable: 'error503',
    edge: 'limit429',
    soft: 'limit429',
    quota: 'quota429',
    other: 'other',
  });
});
