// Holds that X-RateLimit-Reset is read in the unit that is set, and that a number which can only be of another unit is
// told instead of waited for.

import assert from 'node:assert/strict';
import test from 'node:test';
import { parseRateLimitReset, type ResetUnit } from './rate-limit-reset.ts';
import type { InvalidReason, ToldWait } from './told-wait.ts';

const NOW_MS = 1_700_000_010_000;
const SOURCE = 'x-ratelimit-reset';
const PAST: ToldWait = { kind: 'past_date', waitMs: 0, source: SOURCE };
const invalid = (reason: InvalidReason, text: string): ToldWait => ({ kind: 'invalid', reason, source: SOURCE, text });

test('the units, each as set (A9)', () => {
  const cases: readonly (readonly [text: string, unit: ResetUnit, told: ToldWait])[] = [
    ['1700000000', 'epoch_seconds', PAST],
    ['1700000010', 'epoch_seconds', { kind: 'date', waitMs: 0, source: SOURCE }],
    ['1700000017', 'epoch_seconds', { kind: 'date', waitMs: 7000, source: SOURCE }],
    ['30', 'epoch_seconds', PAST],
    ['30', 'delta_seconds', { kind: 'seconds', waitMs: 30_000, source: SOURCE }],
    ['\t30 ', 'delta_seconds', { kind: 'seconds', waitMs: 30_000, source: SOURCE }],
    ['0', 'delta_seconds', { kind: 'seconds', waitMs: 0, source: SOURCE }],
    ['1700000017000', 'epoch_ms', { kind: 'date', waitMs: 7000, source: SOURCE }],
    ['1700000009999', 'epoch_ms', PAST],
    ['1700000017000', 'epoch_seconds', invalid('milliseconds where seconds are set', '1700000017000')],
    ['100000000001', 'epoch_seconds', invalid('milliseconds where seconds are set', '100000000001')],
    ['100000000000', 'epoch_seconds', invalid('longer than ten years', '100000000000')],
    ['1700000017', 'delta_seconds', invalid('longer than ten years', '1700000017')],
    ['1700000017000', 'delta_seconds', invalid('longer than ten years', '1700000017000')],
    ['1700000017000000', 'epoch_ms', invalid('longer than ten years', '1700000017000000')],
  ];
  for (const [text, unit, told] of cases)
    assert.deepEqual(parseRateLimitReset(text, unit, NOW_MS), told, `${text} ${unit}`);
});

test('a moment needs a clock, a length does not', () => {
  assert.equal(parseRateLimitReset('30', 'delta_seconds', undefined).kind, 'seconds');
  for (const unit of ['epoch_seconds', 'epoch_ms'] as const) {
    assert.deepEqual(parseRateLimitReset('1700000017', unit, undefined), { kind: 'clock_untrusted', source: SOURCE });
  }
});

test('no whole number is no reset, in any unit', () => {
  const cases: readonly (readonly [string, InvalidReason])[] = [
    ['', 'empty'],
    ['-5', 'negative number'],
    ['1700000017.5', 'fraction'],
    ['1.7e9', 'exponent'],
    ['30s', 'text after the digits'],
    ['30, 31', 'doubled'],
    ['NaN', 'not finite'],
    ['Wed, 21 Oct 2026 07:28:00 GMT', 'not a number'],
    ['tomorrow', 'not a number'],
  ];
  for (const [text, reason] of cases) {
    for (const unit of ['delta_seconds', 'epoch_seconds', 'epoch_ms'] as const) {
      assert.deepEqual(parseRateLimitReset(text, unit, NOW_MS), invalid(reason, text), `${text} ${unit}`);
    }
  }
});
