// Holds what the fields of the RateLimit draft are read as: its own examples, several policies, and every way to be
// wrong.

import assert from 'node:assert/strict';
import test from 'node:test';
import { parseHttpDate } from './http-date.ts';
import { parseRetryAfter } from './parse-retry-after.ts';
import { parseRateLimit, parseRateLimitPolicy, waitFromRateLimit } from './rate-limit-fields.ts';
import { readTestdata } from './testing.ts';
import type { InvalidReason, ToldWait } from './told-wait.ts';

interface Draft {
  readonly fields: readonly { readonly name: 'RateLimit' | 'RateLimit-Policy'; readonly value: string }[];
  readonly throttled_response: {
    readonly Date: string;
    readonly 'Retry-After': string;
    readonly RateLimit: string;
    readonly wait_s: number;
  };
}

const DRAFT = readTestdata('http-specs/ratelimit_draft.json') as Draft;
const SOURCE = 'ratelimit';
const seconds = (waitMs: number): ToldWait => ({ kind: 'seconds', waitMs, source: SOURCE });
const examples = (name: string) => DRAFT.fields.filter((field) => field.name === name).map(({ value }) => value);
const state = (policy: string, remaining?: number, resetS?: number) => ({ policy, remaining, resetS });
const limit = (policy: string, quota?: number, windowS?: number) => ({ policy, quota, windowS });

test('the RateLimit examples of the draft', () => {
  assert.deepEqual(examples('RateLimit').map(parseRateLimit), [
    [state('default', 50, 30)],
    [state('default', 999)],
    [state('default', 300_000_000, 60)],
    [state('problemPolicy', 0, 10)],
    [state('default', 0, 50)],
    [state('dayLimit', 100, 36_000)],
    [state('basic', 60, 58)],
    [state('basic', 20, 56)],
    [state('fixedwindow', 99, 50)],
  ]);
});

// The `pk` of the two "peruser" examples, cHsdsRa894== and sdfjLJUOUH==, have the right length but bits set in what
// should be padding. RFC 9651 (4.2.7) asks parsers to take such bytes; the library does, and we read nothing out of
// `pk`.
test('the RateLimit-Policy examples of the draft, the two with odd base64 included', () => {
  assert.deepEqual(examples('RateLimit-Policy').map(parseRateLimitPolicy), [
    [limit('burst', 100, 60), limit('daily', 1000, 86_400)],
    [limit('default', 100, 10)],
    [limit('permin', 50, 60), limit('perhr', 1000, 3600)],
    [limit('peruser', 100, 60)],
    [limit('peruser', 65_535, 10)],
    [limit('basic', 100, 60)],
    [limit('fixedwindow', 100, 60)],
  ]);
});

test('bytes that are no base64 at all make a field unreadable', () => {
  for (const pk of [':a:', ':?:', ':cHsdsRa894=']) {
    assert.deepEqual(parseRateLimit(`"default";r=0;t=5;pk=${pk}`), { invalid: 'not a structured field' }, pk);
  }
});

test('the throttled response of the draft: 5 s by either header', () => {
  const { Date: date, 'Retry-After': retryAfter, RateLimit, wait_s } = DRAFT.throttled_response;
  assert.deepEqual(waitFromRateLimit(RateLimit), seconds(wait_s * 1000));
  const nowMs = parseHttpDate(date, 0);
  const told = parseRetryAfter(retryAfter, nowMs, { doubled: 'invalid', fractions: 'invalid' });
  assert.deepEqual(told, { kind: 'date', waitMs: wait_s * 1000, source: 'retry-after' });
});

test('the wait is the longest reset among the exhausted policies', () => {
  const cases: readonly (readonly [text: string, told: ToldWait])[] = [
    ['"a";r=0;t=5, "b";r=0;t=3600, "c";r=1;t=9999', seconds(3_600_000)],
    ['"a";r=0;t=0', seconds(0)],
    ['"a";r=-0;t=-0', seconds(0)],
    ['"a";r=0, "b";r=0;t=7', seconds(7000)],
    ['default;r=0;t=5', seconds(5000)],
    ['"a";t=5;r=0;pk=:dHJpYWw=:;x=?1', seconds(5000)],
    ['"a";r=4;r=0;t=1;t=2', seconds(2000)],
    ['  "a";r=0;t=5 ,\t"b";r=9 ', seconds(5000)],
    ['"a";r=5;t=30', { kind: 'absent' }],
    ['"a";t=30', { kind: 'absent' }],
    ['"a"', { kind: 'absent' }],
    ['', { kind: 'absent' }],
  ];
  for (const [text, told] of cases) assert.deepEqual(waitFromRateLimit(text), told, text);
});

test('unreadable, with the reason', () => {
  const cases: readonly (readonly [text: string, reason: InvalidReason])[] = [
    ['"a";r=0;t=5,', 'not a structured field'],
    ['"a;r=0;t=5', 'not a structured field'],
    ['"a";r=0;t=', 'not a structured field'],
    ['"a";R=0;t=5', 'not a structured field'],
    ['"ä";r=0;t=5', 'not a structured field'],
    ['"a";r=0;t=1234567890123456', 'not a structured field'],
    ['limit=100, remaining=0, reset=50', 'not a structured field'],
    ['\0', 'not a structured field'],
    ['0', 'policy without a name'],
    ['100;w=10', 'policy without a name'],
    ['("a" "b");r=0;t=5', 'policy without a name'],
    ['?1;r=0;t=5', 'policy without a name'],
    ['"a";r=0;t=-5', 'parameter is no whole number'],
    ['"a";r=-1;t=5', 'parameter is no whole number'],
    ['"a";r=0;t=5.5', 'parameter is no whole number'],
    ['"a";r=0;t="5"', 'parameter is no whole number'],
    ['"a";r=0;t=@5', 'parameter is no whole number'],
    ['"a";r;t=5', 'parameter is no whole number'],
    ['"a";r=0;t=5, "b";r=no;t=7', 'parameter is no whole number'],
    ['"a";r=0', 'exhausted without a reset'],
    ['"a";r=0;t=1700000017', 'longer than ten years'],
    ['"a";r=0;t=999999999999999', 'longer than ten years'],
  ];
  for (const [text, reason] of cases) {
    assert.deepEqual(waitFromRateLimit(text), { kind: 'invalid', reason, source: SOURCE, text }, text);
  }
});

test('a policy field is unreadable for the same reasons', () => {
  assert.deepEqual(parseRateLimitPolicy('"a";q=10;w=1.5'), { invalid: 'parameter is no whole number' });
  assert.deepEqual(parseRateLimitPolicy('10;w=1'), { invalid: 'policy without a name' });
  assert.deepEqual(parseRateLimitPolicy('"a";q'), { invalid: 'parameter is no whole number' });
  assert.deepEqual(parseRateLimitPolicy('"a'), { invalid: 'not a structured field' });
  assert.deepEqual(parseRateLimitPolicy('"a"'), [limit('a')]);
});
