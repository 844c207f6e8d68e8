// Holds that a rate rejection is waited out as the server says, up to the cap, whatever text the header holds.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { ReplyClass, Retry } from '../policy.ts';
import { replyOf, resultOf, waitOf } from '../testing.ts';
import { retryAfter } from './retry-after.ts';

const PUBLISHED = { capMs: 10_000, fallbackMs: 3000 } as const;
const PROPOSAL: Retry = { kind: 'retry', waitMs: 417, because: 'backoff' };

function decide(header: string | undefined, replyClass: ReplyClass = 'limit429') {
  const reply = replyOf(replyClass, header === undefined ? {} : { 'retry-after': header });
  return retryAfter(PUBLISHED).decide?.(resultOf(replyClass, { reply }), PROPOSAL);
}

test('seconds are obeyed up to the cap', () => {
  for (const [header, waitMs] of [
    ['0', 0],
    ['1', 1000],
    ['3', 3000],
    ['9', 9000],
    ['10', 10_000],
    ['11', 10_000],
    ['007', 7000],
    ['3600', 10_000],
    ['9999999999', 10_000],
  ] as const) {
    assert.deepEqual(decide(header), { kind: 'retry', waitMs, because: 'retry_after' }, header);
  }
});

test('absent or unreadable makes 3 seconds', () => {
  const unreadable = [
    '',
    ' ',
    '-1',
    '+5',
    '1.5',
    '1e3',
    '0x10',
    '5s',
    '5 ',
    ' 5',
    '5\n',
    '٣',
    'soon',
    'NaN',
    'Infinity',
  ];
  const tooLong = '1'.repeat(400);
  for (const header of [undefined, ...unreadable, 'Wed, 21 Oct 2026 07:28:00 GMT', tooLong]) {
    assert.deepEqual(decide(header), { kind: 'retry', waitMs: 3000, because: 'retry_after_unreadable' }, header);
  }
});

test('the fallback is cut to the cap too', () => {
  const policy = retryAfter({ capMs: 1000, fallbackMs: 3000 });
  assert.equal(waitOf(policy.decide?.(resultOf('limit429'), undefined)), 1000);
});

test('it is not asked about anything but a rate rejection: what was proposed stays', () => {
  for (const replyClass of ['quota429', 'error500', 'error503', 'other'] as const) {
    assert.equal(decide('7', replyClass), PROPOSAL, replyClass);
  }
  assert.equal(retryAfter(PUBLISHED).decide?.(resultOf('no_reply'), PROPOSAL), PROPOSAL);
});

test('10,000 header texts: a wait of 0 to 10 s, always', () => {
  const header = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.nat().map(String),
    fc.bigInt().map(String),
    fc.double().map(String),
    fc.float().map((seconds) => seconds.toFixed(3)),
    fc.date({ noInvalidDate: true }).map((date) => date.toUTCString()),
    fc.stringMatching(/^[ 0-9+.eE-]{0,20}$/),
  );
  fc.assert(
    fc.property(header, (text) => {
      const waitMs = waitOf(decide(text));
      assert.ok(waitMs >= 0 && waitMs <= 10_000, `${waitMs} ms`);
      if (!/^[0-9]{1,10}$/.test(text)) assert.equal(waitMs, 3000);
    }),
    { numRuns: 10_000 },
  );
});
