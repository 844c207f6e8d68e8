// Holds the quota: as many calls are billed as it has, refusals count for nothing, and it does not come back by waiting.

import assert from 'node:assert/strict';
import test from 'node:test';
import { billing, monthlyQuota } from './monthly-quota.ts';

const dateMs = (nowMs: number) => Date.UTC(2026, 9, 16, 2, 0, 0) + nowMs;
const at = (nowMs: number) => ({ nowMs, key: 0, ordinal: 0, host: 'platform', billed: false, lost: false });

test('billing marks the arrival, counts it and passes it on', () => {
  const account = { billedCalls: 0 };
  const gate = billing(account);
  const arrival = at(0);
  assert.equal(gate.examine(arrival), undefined);
  assert.equal(arrival.billed, true);
  assert.equal(account.billedCalls, 1);
  assert.equal(gate.name, 'billing');
});

test('passes until the calls are billed, to the unit, and refuses for good', () => {
  const account = { billedCalls: 0 };
  const quota = monthlyQuota({ calls: 3, retryAfter: { form: 'absent' } }, account, dateMs);
  const bill = billing(account);
  const passed = Array.from({ length: 6 }, (_, i) => {
    const arrival = at(i);
    if (quota.examine(arrival) !== undefined) return false;
    bill.examine(arrival);
    return true;
  });
  assert.deepEqual(passed, [true, true, true, false, false, false]);
  assert.equal(account.billedCalls, 3);
  const refusal = { verdictClass: 'quota', status: 429, limitKind: 'quota', retryAfter: undefined };
  assert.deepEqual(quota.examine(at(2_000_000_000)), refusal);
  assert.equal(quota.name, 'monthly_quota');
});

test('asking the quota bills nothing', () => {
  const account = { billedCalls: 0 };
  const quota = monthlyQuota({ calls: 1, retryAfter: { form: 'absent' } }, account, dateMs);
  for (let i = 0; i < 10; i++) assert.equal(quota.examine(at(i)), undefined);
  assert.equal(account.billedCalls, 0);
});

test('a quota of nothing refuses the first call', () => {
  const quota = monthlyQuota({ calls: 0, retryAfter: { form: 'absent' } }, { billedCalls: 0 }, dateMs);
  assert.equal(quota.examine(at(0))?.verdictClass, 'quota');
});

test('says no wait of its own, and what the scenario puts in its mouth', () => {
  const say = (retryAfter: Parameters<typeof monthlyQuota>[0]['retryAfter']) =>
    monthlyQuota({ calls: 0, retryAfter }, { billedCalls: 0 }, dateMs).examine(at(0))?.retryAfter;
  assert.equal(say({ form: 'seconds' }), undefined);
  assert.equal(say({ form: 'http-date' }), undefined);
  assert.equal(say({ form: 'seconds', valueS: 1 }), '1');
  assert.equal(say({ form: 'http-date', valueS: 3600 }), 'Fri, 16 Oct 2026 03:00:00 GMT');
  assert.equal(say({ form: 'text', value: 'next month' }), 'next month');
});
