// Holds what every kind of Retry-After is read as. The names A1 to A11 are public bug reports of retry code: dates that
// became NaN, numbers that became years, prefixes that became waits.

import assert from 'node:assert/strict';
import test from 'node:test';
import { stateRetryAfter } from '../../platform-sim/retry-after.ts';
import { TokenBucket } from '../../platform-sim/token-bucket.ts';
import { parseRetryAfter, type RetryAfterOptions } from './parse-retry-after.ts';
import type { InvalidReason, ToldWait } from './told-wait.ts';

const NOW_MS = Date.UTC(2026, 9, 21, 7, 27, 0);
const STRICT: RetryAfterOptions = { doubled: 'invalid', fractions: 'invalid' };
const SOURCE = 'retry-after';

const parse = (text: string, options: Partial<RetryAfterOptions> = {}, nowMs: number | undefined = NOW_MS) =>
  parseRetryAfter(text, nowMs, { ...STRICT, ...options });
const seconds = (waitMs: number): ToldWait => ({ kind: 'seconds', waitMs, source: SOURCE });
const date = (waitMs: number): ToldWait => ({ kind: 'date', waitMs, source: SOURCE });
const invalid = (reason: InvalidReason, text: string): ToldWait => ({
  kind: 'invalid',
  reason,
  source: SOURCE,
  text: text.slice(0, 60),
});

test('seconds, with blanks around them: seconds, not milliseconds (A7b, A8)', () => {
  const cases = [
    ['0', 0],
    ['2', 2000],
    ['120', 120_000],
    ['\t42 ', 42_000],
    ['007', 7000],
    [`${'0'.repeat(400)}5`, 5000],
    ['315360000', 315_360_000_000],
  ] as const;
  for (const [text, waitMs] of cases) assert.deepEqual(parse(text), seconds(waitMs), text);
});

test('no number of seconds, and never tried as a date (A2, A5, A8)', () => {
  const cases: readonly (readonly [string, InvalidReason])[] = [
    ['', 'empty'],
    [' \t ', 'empty'],
    ['-3', 'negative number'],
    ['-0', 'negative number'],
    ['+3', 'plus sign'],
    ['1.5', 'fraction'],
    ['299.997', 'fraction'],
    ['.5', 'fraction'],
    ['5.', 'fraction'],
    ['1e10000', 'exponent'],
    ['1.5e3', 'exponent'],
    ['inf', 'not finite'],
    ['-Infinity', 'not finite'],
    ['NaN', 'not finite'],
    ['1000abc', 'text after the digits'],
    ['5\n', 'text after the digits'],
    ['0x10', 'text after the digits'],
    ['1_000', 'text after the digits'],
    ['12 34', 'text after the digits'],
    ['2026-10-21T07:28:00Z', 'text after the digits'],
    ['315360001', 'longer than ten years'],
    ['1700000017', 'longer than ten years'],
    ['٣', 'neither seconds nor a date'],
    ['soon', 'neither seconds nor a date'],
    ['not-a-number', 'neither seconds nor a date'],
    ['Invalid Date GMT', 'neither seconds nor a date'],
    ['null', 'neither seconds nor a date'],
  ];
  for (const [text, reason] of cases) {
    for (const nowMs of [0, NOW_MS, undefined]) {
      assert.deepEqual(parseRetryAfter(text, nowMs, STRICT), invalid(reason, text), `${text} at ${nowMs}`);
    }
  }
});

test('a text is kept to 60 characters, and hundreds of digits are too long a wait', () => {
  assert.deepEqual(parse('9'.repeat(400)), invalid('longer than ten years', '9'.repeat(400)));
  assert.deepEqual(parse('x'.repeat(16_000)), invalid('neither seconds nor a date', 'x'.repeat(16_000)));
});

test('fractions are rounded up to whole seconds when a setting says so (A5)', () => {
  const ceil = { fractions: 'ceil' } as const;
  const cases = [
    ['299.997', 300_000],
    ['1.5', 2000],
    ['0.0333', 1000],
    ['300.000', 300_000],
    [`2.${'0'.repeat(400)}1`, 3000],
    [' 0.1\t', 1000],
    ['7', 7000],
  ] as const;
  for (const [text, waitMs] of cases) assert.deepEqual(parse(text, ceil), seconds(waitMs), text);
  const stillInvalid = [
    ['-1.5', 'negative number'],
    ['1.5e3', 'exponent'],
    ['1e10000', 'exponent'],
    ['inf', 'not finite'],
    ['.5', 'fraction'],
    ['5.', 'fraction'],
    ['1.5s', 'text after the digits'],
    ['1.2.3', 'text after the digits'],
    ['315360000.1', 'longer than ten years'],
  ] as const;
  for (const [text, reason] of stillInvalid) assert.deepEqual(parse(text, ceil), invalid(reason, text), text);
});

test('a date is the time until it, rounded up (A3)', () => {
  const texts = [
    'Wed, 21 Oct 2026 07:28:00 GMT',
    'Wednesday, 21-Oct-26 07:28:00 GMT',
    'Wed Oct 21 07:28:00 2026',
    '\tWed, 21 Oct 2026 07:28:00 GMT ',
  ];
  for (const text of texts) {
    assert.deepEqual(parse(text), date(60_000), text);
    assert.deepEqual(parse(text, {}, NOW_MS + 0.25), date(60_000), text);
    assert.deepEqual(parse(text, {}, NOW_MS + 60_000), date(0), text);
    assert.deepEqual(parse(text, {}, NOW_MS + 60_001), { kind: 'past_date', waitMs: 0, source: SOURCE }, text);
    for (const nowMs of [undefined, Number.NaN, Number.POSITIVE_INFINITY]) {
      assert.deepEqual(parseRetryAfter(text, nowMs, STRICT), { kind: 'clock_untrusted', source: SOURCE }, text);
    }
  }
});

test('a malformed date is invalid, not NaN, with a clock or without (A1)', () => {
  for (const text of [
    'Wed, 99 Foo 2026 25:00:00 GMT',
    'Thu, 21 Oct 2026 07:28:00 GMT',
    'Wed, 21 Oct 2026 07:28:00 UTC',
    'wed, 21 Oct 2026 07:28:00 GMT',
    'Friday, 21-Oct-26 07:28:00 GMT',
    'Wed,',
  ]) {
    assert.deepEqual(parse(text), invalid('malformed date', text), text);
    assert.deepEqual(parseRetryAfter(text, undefined, STRICT), invalid('malformed date', text), text);
  }
  const distant = 'Wed, 21 Oct 2037 07:28:00 GMT';
  assert.deepEqual(parse(distant), invalid('longer than ten years', distant));
});

test('doubled: the setting decides, a comma inside a date is none (A8)', () => {
  const soon = 'Wed, 21 Oct 2026 07:28:00 GMT';
  const older = 'Wednesday, 21-Oct-26 07:27:30 GMT';
  const cases: readonly (readonly [text: string, first: ToldWait, last: ToldWait])[] = [
    ['2, 3', seconds(2000), seconds(3000)],
    ['2,3', seconds(2000), seconds(3000)],
    ['120, 120', seconds(120_000), seconds(120_000)],
    [`${soon}, 45`, date(60_000), seconds(45_000)],
    [`45,${soon}`, seconds(45_000), date(60_000)],
    [`${soon}, ${older}`, date(60_000), date(30_000)],
    ['2, abc', seconds(2000), invalid('neither seconds nor a date', '2, abc')],
    [', 2', invalid('empty', ', 2'), seconds(2000)],
    ['2,', seconds(2000), invalid('empty', '2,')],
  ];
  for (const [text, first, last] of cases) {
    assert.deepEqual(parse(text, { doubled: 'first' }), first, text);
    assert.deepEqual(parse(text, { doubled: 'last' }), last, text);
    assert.deepEqual(parse(text), invalid('doubled', text), text);
  }
  for (const doubled of ['first', 'last', 'invalid'] as const) assert.deepEqual(parse(soon, { doubled }), date(60_000));
});

test('who waits exactly what a bucket states is not refused again (A11)', () => {
  for (const refillPerS of [30, 5, 1, 0.1]) {
    const bucket = new TokenBucket(refillPerS, 1);
    assert.ok(bucket.take(0));
    const told = parse(stateRetryAfter({ form: 'seconds' }, bucket.waitMs(0), NOW_MS) ?? '');
    assert.equal(told.kind, 'seconds');
    assert.ok('waitMs' in told && told.waitMs >= 1000 && bucket.take(told.waitMs), `${refillPerS}/s`);
  }
});
