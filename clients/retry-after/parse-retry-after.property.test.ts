// Holds that no text makes a wait that a timer could not take: 100,000 of random bytes, numbers, dates and lists give a
// finite wait of at least 0 or a reason of the closed list.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { parseRetryAfter } from './parse-retry-after.ts';
import { readToldWait } from './read-told-wait.ts';
import { anySecondMs, FORMS, writeHttpDate } from './testing.ts';
import { INVALID_REASONS, MAX_WAIT_MS, TOLD_WAIT_SOURCES, type ToldWait } from './told-wait.ts';

fc.configureGlobal({ seed: 20261016 });

const anyDate = fc.tuple(fc.constantFrom(...FORMS), anySecondMs).map(([form, dateMs]) => writeHttpDate(form, dateMs));
const anyNumber = fc.oneof(
  fc.nat(400_000_000).map(String),
  fc.bigInt().map(String),
  fc.double().map(String),
  fc.float({ noNaN: true, noDefaultInfinity: true }).map((seconds) => seconds.toFixed(3)),
  fc.stringMatching(/^[ \t0-9+.eE,xinfaN-]{0,20}$/),
);
const anyBytes = fc
  .uint8Array({ maxLength: 200 })
  .map((bytes) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
const nearlyADate = fc
  .tuple(anyDate, fc.nat(35), fc.string({ maxLength: 3 }))
  .map(([text, at, inserted]) => text.slice(0, at) + inserted + text.slice(at + inserted.length));
const anyField = fc.stringMatching(/^["a-z]{1,6}(;[rt]=[0-9".-]{1,4}){0,3}(, ?"[a-z]";r=0;t=[0-9]{1,15})?$/);
const single = fc.oneof(anyDate, anyNumber, anyBytes, nearlyADate, anyField);
const list = fc
  .array(single, { minLength: 2, maxLength: 4 })
  .chain((values) => fc.constantFrom(',', ', ', ' ,').map((comma) => values.join(comma)));
const anyText = fc.oneof({ weight: 4, arbitrary: single }, { weight: 1, arbitrary: list });
const anyNowMs = fc.oneof(anySecondMs, fc.constantFrom(undefined, 0, Number.NaN), fc.double());
const anyOptions = fc.record({
  doubled: fc.constantFrom('first', 'invalid', 'last'),
  fractions: fc.constantFrom('invalid', 'ceil'),
});

function assertUsable(told: ToldWait): void {
  if ('waitMs' in told) {
    assert.ok(Number.isSafeInteger(told.waitMs) && told.waitMs >= 0 && told.waitMs <= MAX_WAIT_MS, `${told.waitMs} ms`);
    assert.ok(!Object.is(told.waitMs, -0));
  }
  if (told.kind !== 'absent') assert.ok(TOLD_WAIT_SOURCES.includes(told.source));
  if (told.kind === 'invalid') {
    assert.ok(INVALID_REASONS.includes(told.reason), told.reason);
    assert.ok(told.text.length <= 60);
  }
}

test('100,000 texts: a finite wait of at least 0, or a reason', () => {
  const kinds = new Map<string, number>();
  fc.assert(
    fc.property(anyText, anyNowMs, anyOptions, (text, nowMs, options) => {
      const told = parseRetryAfter(text, nowMs, options);
      assertUsable(told);
      assert.notEqual(told.kind, 'absent');
      if (/^[0-9]+$/.test(text)) assert.ok(told.kind === 'seconds' || told.kind === 'invalid');
      if (told.kind === 'seconds') assert.equal(told.waitMs % 1000, 0);
      kinds.set(told.kind, (kinds.get(told.kind) ?? 0) + 1);
    }),
    { numRuns: 100_000 },
  );
  // The texts would prove little if most of them fell into one kind.
  for (const kind of ['seconds', 'date', 'past_date', 'invalid', 'clock_untrusted']) {
    assert.ok((kinds.get(kind) ?? 0) > 500, `${kind}: ${kinds.get(kind)}`);
  }
});

test('20,000 sets of headers in any order of sources: the same', () => {
  const anyHeaders = fc.dictionary(fc.constantFrom(...TOLD_WAIT_SOURCES), anyText, { maxKeys: 5 });
  const anySettings = fc.record({
    sources: fc.shuffledSubarray([...TOLD_WAIT_SOURCES]),
    resetUnit: fc.constantFrom('delta_seconds', 'epoch_seconds', 'epoch_ms'),
    doubled: fc.constantFrom('first', 'invalid', 'last'),
    fractions: fc.constantFrom('invalid', 'ceil'),
  });
  fc.assert(
    fc.property(anyHeaders, anyNowMs, anySettings, (headers, nowMs, settings) => {
      const told = readToldWait(headers, nowMs, settings);
      assertUsable(told);
      if (told.kind !== 'absent')
        assert.ok(settings.sources.includes(told.source) && headers[told.source] !== undefined);
    }),
    { numRuns: 20_000 },
  );
});

test('a date waited out is reached, and a millisecond less is too early', () => {
  fc.assert(
    fc.property(
      anyDate,
      anySecondMs,
      fc.double({ min: 0, max: 1, noNaN: true }),
      anyOptions,
      (text, nowMs, part, options) => {
        const told = parseRetryAfter(text, nowMs + part, options);
        if (told.kind !== 'date') return;
        const after = parseRetryAfter(text, nowMs + part + told.waitMs, options);
        assert.ok('waitMs' in after && after.waitMs === 0, `${text} at ${nowMs}`);
        if (told.waitMs === 0) return;
        const before = parseRetryAfter(text, nowMs + part + told.waitMs - 1, options);
        assert.ok('waitMs' in before && before.waitMs === 1, `${text} at ${nowMs}`);
      },
    ),
    { numRuns: 10_000 },
  );
});
