// Holds the scripted gate: the k-th request for an item gets the k-th reply, billed unless it is a 429, classed by status.

import assert from 'node:assert/strict';
import test from 'node:test';
import type { Arrival } from '../types.ts';
import type { QuotaAccount } from './monthly-quota.ts';
import { type ScriptedReply, scripted } from './scripted.ts';

const at = (ordinal: number, key = 1): Arrival => ({
  nowMs: 0,
  key,
  ordinal,
  host: 'platform',
  billed: false,
  lost: false,
});

/** What one reply makes of one arrival. */
function examined(reply: ScriptedReply) {
  const account: QuotaAccount = { billedCalls: 0 };
  const arrival = at(0);
  const refusal = scripted({ replies: [reply], after: 'last' }, account).examine(arrival);
  return { refusal, billed: arrival.billed, lost: arrival.lost, billedCalls: account.billedCalls };
}

const statuses = (after: 'ok' | 'last', replies: readonly ScriptedReply[], ordinals: readonly number[]) => {
  const gate = scripted({ replies, after }, { billedCalls: 0 });
  return ordinals.map((ordinal) => gate.examine(at(ordinal))?.status ?? 200);
};

test('the list of seed 003: 429, 429, 503, 200; then a success, or the last reply again', () => {
  const replies = [{ status: 429 }, { status: 429 }, { status: 503 }, { status: 200 }];
  assert.deepEqual(statuses('ok', replies, [0, 1, 2, 3, 4, 99]), [429, 429, 503, 200, 200, 200]);
  assert.deepEqual(statuses('last', replies, [2, 3, 4]), [503, 200, 200]);
  assert.deepEqual(statuses('last', replies.slice(0, 3), [2, 3, 99]), [503, 503, 503]);
  assert.deepEqual(statuses('ok', replies.slice(0, 3), [2, 3, 99]), [503, 200, 200]);
});

test('an empty list is a platform that always succeeds, and bills', () => {
  for (const after of ['ok', 'last'] as const) {
    const account: QuotaAccount = { billedCalls: 0 };
    const arrival = at(0);
    assert.equal(scripted({ replies: [], after }, account).examine(arrival), undefined);
    assert.deepEqual([arrival.billed, arrival.lost, account.billedCalls], [true, false, 1]);
  }
});

test('the place in the list is the ordinal of the arrival: each item has the list to itself, and order does not count', () => {
  const gate = scripted({ replies: [{ status: 500 }, { status: 503 }], after: 'ok' }, { billedCalls: 0 });
  const arrivals = [at(1, 7), at(0, 8), at(0, 7), at(1, 8), at(2, 7)];
  assert.deepEqual(
    arrivals.map((arrival) => gate.examine(arrival)?.status),
    [503, 500, 500, 503, undefined],
  );
  assert.equal(gate.name, 'scripted');
});

test('a 429 is not billed, and is of the quota when the script says so', () => {
  for (const [quota, kind] of [
    [true, 'quota'],
    [false, 'soft'],
    [undefined, 'soft'],
  ] as const) {
    assert.deepEqual(examined({ status: 429, quota, retryAfter: '7' }), {
      refusal: { verdictClass: kind, status: 429, limitKind: kind, retryAfter: '7' },
      billed: false,
      lost: false,
      billedCalls: 0,
    });
  }
});

test('every other reply is billed once, and classed by its status', () => {
  for (const [status, verdictClass] of [
    [500, 'error500'],
    [503, 'error503'],
    [400, 'other'],
    [404, 'other'],
    [408, 'other'],
    [502, 'other'],
    [504, 'other'],
    [599, 'other'],
  ] as const) {
    const refusal = { verdictClass, status, retryAfter: 'Fri, 16 Oct 2026 02:02:00 GMT' };
    const reply = { status, retryAfter: refusal.retryAfter };
    assert.deepEqual(examined(reply), { refusal, billed: true, lost: false, billedCalls: 1 }, `status ${status}`);
  }
});

test('a success passes on, billed', () => {
  for (const status of [200, 204, 399]) {
    const passed = { refusal: undefined, billed: true, lost: false, billedCalls: 1 };
    assert.deepEqual(examined({ status }), passed, `status ${status}`);
  }
});

test('a lost reply is served and billed all the same, whatever its status; a 429 can not get lost', () => {
  for (const status of [200, 500, 504]) {
    const { lost, billed, billedCalls, refusal } = examined({ status, lost: true });
    assert.deepEqual([lost, billed, billedCalls, refusal?.status ?? 200], [true, true, 1, status]);
  }
  assert.deepEqual(
    [examined({ status: 429, lost: true }).lost, examined({ status: 200, lost: false }).lost],
    [false, false],
  );
});

test('the account is shared with the quota of the month', () => {
  const account: QuotaAccount = { billedCalls: 40 };
  const gate = scripted(
    { replies: [{ status: 500 }, { status: 429 }, { status: 200, lost: true }], after: 'ok' },
    account,
  );
  for (const ordinal of [0, 1, 2, 3]) gate.examine(at(ordinal));
  assert.equal(account.billedCalls, 43);
});
