// The ledger of a task that was killed: a small one that balances, and each way in which the two sides can differ.

import assert from 'node:assert/strict';
import test from 'node:test';
import type { CallRecord, SettledCall } from '../../clients/durable/task-store.ts';
import type { ReplyClass } from '../../clients/policy.ts';
import type { VerdictClass } from '../../platform-sim/types.ts';
import { interruptedLedger } from './interrupted-ledger.ts';
import type { RequestRecord } from './request-records.ts';

function call(ordinal: number, replyClass?: ReplyClass, status: number | null = 200): CallRecord {
  const settled: SettledCall | undefined =
    replyClass === undefined
      ? undefined
      : { receivedMs: 0, status, replyClass, waitMs: null, because: '', inDoubt: false };
  const times = { begunMs: 0, firstSentMs: 0, sentMs: 0, previousWaitMs: 0 };
  return { ordinal, item: ordinal, attempt: 1, life: 1, ...times, settled };
}

const record = (ordinal: number, verdict: VerdictClass, item = ordinal, client = 'guarded'): RequestRecord => ({
  client,
  ordinal,
  item,
  host: null,
  arrived_ms: 0,
  verdict,
  billed: true,
});

/** Heard, lost with the platform before and after it arrived, lost with the client before and after. */
const CALLS = [
  call(1, 'ok'),
  call(2, 'limit429', 429),
  call(3, 'no_reply', null),
  call(4, 'no_reply', null),
  call(5, 'never_arrived', null),
  call(6),
  call(7),
];
const RECORDS = [record(1, 'ok'), record(2, 'edge'), record(3, 'error500'), record(6, 'soft')];

test('every call is a result or interrupted, and every interrupted one has its fate', () => {
  const { rows, interrupted, discrepancies } = interruptedLedger('guarded', CALLS, RECORDS);
  assert.deepEqual(discrepancies, []);
  assert.deepEqual(
    interrupted.map(({ request_id, fate }) => [request_id, fate]),
    [
      ['guarded-6', 'soft'],
      ['guarded-7', 'never_arrived'],
    ],
  );
  assert.deepEqual(
    rows.map(({ identity, left, right }) => [identity, left, right]),
    [
      ['calls reserved = results + interrupted', 7, 7],
      ['platform total = heard + no_reply that arrived + interrupted that arrived', 4, 4],
      ['calls reserved = platform total + never_arrived', 7, 7],
    ],
  );
});

test('without the records of the platform the fate is not known, and the task’s own identity is kept', () => {
  const { rows, interrupted, discrepancies } = interruptedLedger('guarded', CALLS, undefined);
  assert.deepEqual([rows.length, discrepancies, interrupted.map(({ fate }) => fate)], [1, [], [undefined, undefined]]);
});

test('requests of other clients are not of this ledger', () => {
  const others = [...RECORDS, record(1, 'ok', 1, 'naive'), record(99, 'ok', 1, 'naive')];
  assert.deepEqual(interruptedLedger('guarded', CALLS, others).discrepancies, []);
});

const WRONG: readonly (readonly [says: RegExp, records: readonly RequestRecord[]])[] = [
  [/guarded-1: has a result \(ok\), and never arrived/, RECORDS.slice(1)],
  [/guarded-1: has the result ok, and the platform says error500/, [record(1, 'error500'), ...RECORDS.slice(1)]],
  [/guarded-5: has the result never_arrived, and the platform says ok/, [...RECORDS, record(5, 'ok')]],
  [/guarded-8: arrived, and no such call was reserved/, [...RECORDS, record(8, 'ok')]],
  [/guarded-3: arrived twice/, [...RECORDS, record(3, 'ok')]],
  [/guarded-6: asked for item 6, and arrived for 5/, [...RECORDS.slice(0, 3), record(6, 'ok', 5)]],
];

test('whatever no death explains is named', () => {
  for (const [says, records] of WRONG) {
    const { discrepancies } = interruptedLedger('guarded', CALLS, records);
    assert.ok(
      discrepancies.some((line) => says.test(line)),
      `${says}: ${discrepancies.join('; ')}`,
    );
  }
});
