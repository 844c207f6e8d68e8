// Holds what a told wait becomes: obeyed, floored, cut, clamped or refused by the setting, and never less than told unless
// the setting says so.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { ReplyClass, Retry } from '../policy.ts';
import type { ToldWait } from '../retry-after/told-wait.ts';
import { resultOf, waitOf } from '../testing.ts';
import { type RetryAfterSettings, retryAfter } from './retry-after.ts';

const PROPOSAL: Retry = { kind: 'retry', waitMs: 417, because: 'backoff' };
const PUBLISHED: RetryAfterSettings = {
  tooLong: 'cap',
  limitMs: 10_000,
  floorMs: 0,
  fallbackMs: 3000,
  jitterMs: [0, 0],
  onlyLimits: true,
};
const seconds = (waitMs: number): ToldWait => ({ kind: 'seconds', waitMs, source: 'retry-after' });

function decide(
  told: ToldWait,
  changes: Partial<RetryAfterSettings> = {},
  replyClass: ReplyClass = 'limit429',
  uniform = 0,
) {
  const policy = retryAfter({ ...PUBLISHED, ...changes }, () => uniform);
  return policy.decide?.(resultOf(replyClass, { told }), PROPOSAL);
}

test('as published: seconds are obeyed up to the cap, absent or unreadable makes three', () => {
  for (const [toldMs, waitMs] of [
    [0, 0],
    [2000, 2000],
    [10_000, 10_000],
    [11_000, 10_000],
  ] as const) {
    assert.deepEqual(decide(seconds(toldMs)), { kind: 'retry', waitMs, because: 'retry_after' });
  }
  const unreadable: ToldWait = { kind: 'invalid', reason: 'not a number', source: 'retry-after', text: 'soon' };
  for (const told of [unreadable, { kind: 'absent' } as const]) {
    assert.deepEqual(decide(told), { kind: 'retry', waitMs: 3000, because: 'retry_after_fallback' });
    assert.equal(decide(told, { fallbackMs: null }), PROPOSAL, 'left to the backoff');
  }
});

test('case A12, policy both ways: 3600 s with a limit of 120 s stops, or is cut', () => {
  const limit = { limitMs: 120_000 };
  assert.deepEqual(decide(seconds(3_600_000), { ...limit, tooLong: 'never_shorten' }), {
    kind: 'stop',
    reason: 'retry_after_exceeds_limit',
    scope: 'operation',
  });
  assert.equal(waitOf(decide(seconds(60_000), { ...limit, tooLong: 'never_shorten' })), 60_000);
  assert.equal(waitOf(decide(seconds(3_600_000), { ...limit, tooLong: 'cap' })), 120_000);
});

test('AWS clamps what is told between the backoff and the backoff plus five seconds', () => {
  const aws = { tooLong: 'clamp_to_backoff', limitMs: 5000, onlyLimits: false } as const;
  for (const [toldMs, waitMs] of [
    [0, 417],
    [1500, 1500],
    [10_000, 5417],
  ] as const) {
    assert.equal(waitOf(decide(seconds(toldMs), aws, 'error503')), waitMs);
  }
});

test('a past date and a short wait are lifted to the floor; a date without a clock to trust stops', () => {
  assert.equal(waitOf(decide({ kind: 'past_date', waitMs: 0, source: 'retry-after' }, { floorMs: 1000 })), 1000);
  assert.equal(waitOf(decide(seconds(0), { floorMs: 1000 })), 1000);
  assert.deepEqual(decide({ kind: 'clock_untrusted', source: 'retry-after' }), {
    kind: 'stop',
    reason: 'clock_untrusted',
    scope: 'operation',
  });
});

test('a quota is not its business; a 503 is when it hears every reply, and falls back to nothing', () => {
  assert.equal(decide(seconds(7000), {}, 'quota429'), PROPOSAL);
  assert.equal(decide(seconds(7000), { onlyLimits: false }, 'quota429'), PROPOSAL);
  assert.equal(decide(seconds(7000), {}, 'error503'), PROPOSAL);
  assert.equal(waitOf(decide(seconds(7000), { onlyLimits: false }, 'error503')), 7000);
  assert.equal(decide({ kind: 'absent' }, { onlyLimits: false }, 'error503'), PROPOSAL);
});

test('case A17: jitter is only ever added to a told wait, also at the cap, and reaches both ends', () => {
  const jitter = { jitterMs: [0, 500], tooLong: 'cap', limitMs: 30_000 } as const;
  assert.equal(waitOf(decide(seconds(30_000), jitter, 'limit429', 0)), 30_000);
  assert.equal(waitOf(decide(seconds(30_000), jitter, 'limit429', 1 - 2 ** -32)), 30_500);
  fc.assert(
    fc.property(fc.nat(40_000), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (toldMs, uniform) => {
      assert.ok(waitOf(decide(seconds(toldMs), { ...jitter, limitMs: 40_000 }, 'limit429', uniform)) >= toldMs);
    }),
  );
});
