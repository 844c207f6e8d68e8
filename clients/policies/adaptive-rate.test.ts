// Holds the adaptive rate against smithy's own sequences, and that it books exactly what it lets go.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import fc from 'fast-check';
import { REPLY_CLASSES, type ReplyClass } from '../policy.ts';
import { operationOf, resultOf, waitOf } from '../testing.ts';
import { AdaptiveRate } from './adaptive-rate.ts';
import { MeasuredRate } from './cubic-rate.ts';

const DATA = JSON.parse(
  readFileSync(new URL('../../../clients/testdata/aws-retry/adaptive_cubic.json', import.meta.url), 'utf8'),
) as {
  send_token_delay_ms: [number, number][];
  update_client_sending_rate: { rows: [boolean, number, number, number][] };
};

/** A client that began at 0. */
function began(): AdaptiveRate {
  const policy = new AdaptiveRate();
  assert.equal(policy.admit(operationOf(1, 0), 0), undefined);
  return policy;
}

const settle = (policy: AdaptiveRate, replyClass: ReplyClass, receivedMs: number) =>
  policy.settle(resultOf(replyClass, { receivedMs }));

test("smithy's sequence of replies: what is measured, and the rate that follows, to six decimals", () => {
  const policy = began();
  const measured = new MeasuredRate(0);
  for (const [throttled, atS, measuredRate, rate] of DATA.update_client_sending_rate.rows) {
    const nowMs = Math.round(atS * 1000);
    settle(policy, throttled ? 'limit429' : 'ok', nowMs);
    assert.ok(Math.abs(measured.record(nowMs) - measuredRate) < 5e-9, `measured at ${atS} s`);
    assert.equal(Number(policy.rate.toFixed(6)), rate, `rate at ${atS} s`);
  }
});

// botocore differs here: its bucket fills at 1 a second from the making of the client, so a token is there for the second
// and third of these rows, and half of one for the first. In smithy, and here, it fills from the first reply on.
test("smithy's waits for a token after a throttle that is the first reply at all, rounded up to whole ms", () => {
  for (const [atS, delayMs] of DATA.send_token_delay_ms) {
    const policy = began();
    settle(policy, 'limit429', atS * 1000);
    const refusal = policy.admit(operationOf(1, 0), atS * 1000);
    assert.deepEqual(refusal, { kind: 'retry', waitMs: Math.ceil(delayMs), because: 'client_rate' });
  }
});

test('until the first throttle everything goes, whatever fails; then it stays on', () => {
  const policy = began();
  for (let reply = 1; reply <= 1000; reply++) {
    assert.equal(policy.admit(operationOf(), reply), undefined);
    settle(policy, REPLY_CLASSES.filter((each) => each !== 'limit429')[reply % 7] ?? 'ok', reply);
  }
  assert.equal(policy.enabled, false);
  settle(policy, 'limit429', 1001);
  assert.equal(policy.enabled, true);
  for (let reply = 1; reply <= 100; reply++) settle(policy, 'ok', 1001 + reply);
  assert.equal(policy.enabled, true);
});

test('a failure that is no throttle raises the rate as a success does', () => {
  for (const replyClass of ['error500', 'error503', 'quota429', 'other', 'no_reply', 'never_arrived'] as const) {
    const [one, other] = [began(), began()];
    for (const policy of [one, other]) settle(policy, 'limit429', 500);
    settle(one, replyClass, 3000);
    settle(other, 'ok', 3000);
    assert.equal(one.rate, other.rate, replyClass);
  }
});

test('a client that begins late measures from then', () => {
  const [late, early] = [new AdaptiveRate(), began()];
  late.admit(operationOf(1, 0), 3_600_000);
  for (const [throttled, atS] of DATA.update_client_sending_rate.rows) {
    const replyClass = throttled ? 'limit429' : 'ok';
    settle(early, replyClass, Math.round(atS * 1000));
    settle(late, replyClass, 3_600_000 + Math.round(atS * 1000));
    assert.ok(Math.abs(late.rate - early.rate) < 1e-9);
  }
});

test('after a quiet minute the curve is far up, and the rate is twice what was measured', () => {
  const policy = began();
  settle(policy, 'limit429', 1000);
  settle(policy, 'ok', 61_000);
  const measured = new MeasuredRate(0);
  measured.record(1000);
  assert.equal(policy.rate, Math.max(0.5, 2 * measured.record(61_000)));
  for (let reply = 0; reply < 100; reply++) settle(policy, 'ok', 61_000 + reply);
  settle(policy, 'ok', 61_500);
  // 101 replies in half a second are 202 a second, four fifths of that count, and a fifth of what was.
  const soonMeasured = 0.8 * 202 + 0.2 * measured.record(61_001);
  assert.ok(Math.abs(policy.rate - 2 * soonMeasured) < 1e-9, `${policy.rate} a second`);
});

test('a token that was not used comes back, once it is on', () => {
  const policy = began();
  settle(policy, 'limit429', 1000);
  assert.equal(policy.admit(operationOf(), 3000), undefined);
  assert.equal(policy.tokens, 0);
  policy.withdraw();
  assert.equal(policy.tokens, 1);
  const off = began();
  off.withdraw();
  assert.equal(off.tokens, 0);
});

test('any load: tokens and rate stay in bounds, and whoever waits as told and is alone gets through', () => {
  const event = fc.record({
    passMs: fc.nat({ max: 700 }),
    replies: fc.array(fc.constantFrom<ReplyClass>('ok', 'ok', 'ok', 'limit429', 'error500'), { maxLength: 5 }),
    withdrawn: fc.boolean(),
  });
  let waits = 0;
  fc.assert(
    fc.property(fc.array(event, { maxLength: 150, size: 'max' }), (events) => {
      const policy = new AdaptiveRate();
      let nowMs = 0;
      for (const { passMs, replies, withdrawn } of events) {
        nowMs += passMs;
        for (const replyClass of replies) settle(policy, replyClass, nowMs);
        let refusal = policy.admit(operationOf(), nowMs);
        for (let times = 0; refusal !== undefined; times++) {
          assert.ok(times < 2, 'a part of a token may be missing once');
          const waitMs = waitOf(refusal);
          assert.ok(waitMs > 0 && waitMs <= 2000, `${waitMs} ms`);
          nowMs += waitMs;
          waits++;
          refusal = policy.admit(operationOf(), nowMs);
        }
        if (withdrawn) policy.withdraw();
        assert.ok(policy.tokens >= 0 && policy.tokens <= Math.max(policy.rate, 1), `${policy.tokens} tokens`);
        assert.ok(policy.rate >= 0.5 && Number.isFinite(policy.rate), `${policy.rate} a second`);
      }
    }),
    { numRuns: 300 },
  );
  assert.ok(waits > 100, 'rates are felt');
});
