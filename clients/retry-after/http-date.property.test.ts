// Holds that every form of every second from 1970 to 2099 is read back as that second, and that a date with one letter
// changed is another date or none.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { isHttpDate, parseHttpDate } from './http-date.ts';
import { anySecondMs, FORMS, type HttpDateForm, writeHttpDate } from './testing.ts';

fc.configureGlobal({ seed: 20261016 });

/** The same moment of the year, other years. */
function yearsLater(dateMs: number, years: number): number {
  const date = new Date(dateMs);
  return date.setUTCFullYear(date.getUTCFullYear() + years);
}

const anyForm = fc.constantFrom<HttpDateForm>(...FORMS);
const DAY_MS = 86_400_000;
const YEARS_49_MS = 49 * 365 * DAY_MS;
const anyAheadMs = fc.integer({ min: -YEARS_49_MS, max: YEARS_49_MS });

test('30,000 moments in every form: read back as they were', () => {
  fc.assert(
    fc.property(anySecondMs, anyAheadMs, (dateMs, aheadMs) => {
      for (const form of FORMS) {
        const text = writeHttpDate(form, dateMs);
        assert.equal(parseHttpDate(text, dateMs - aheadMs), dateMs, `${text} from ${dateMs - aheadMs}`);
        assert.ok(isHttpDate(text), text);
      }
    }),
    { numRuns: 30_000 },
  );
});

test('rfc850: never more than 50 years ahead, never 50 or more years ago', () => {
  fc.assert(
    fc.property(anySecondMs, anySecondMs, (dateMs, nowMs) => {
      const text = writeHttpDate('rfc850', dateMs);
      const read = parseHttpDate(text, nowMs);
      if (read === undefined) return;
      assert.ok(
        read <= yearsLater(nowMs, 50) && read > yearsLater(nowMs, -50) - DAY_MS,
        `${text} at ${nowMs}: ${read}`,
      );
      assert.equal(writeHttpDate('rfc850', read), text);
    }),
    { numRuns: 20_000 },
  );
});

test('what is read is written the same: one changed letter is another date or none', () => {
  const letter = fc.constantFrom(...'0123456789 :-,abcdefnprtuyADFGJMNOSTW');
  fc.assert(
    fc.property(anyForm, anySecondMs, fc.nat(32), letter, (form, dateMs, at, changed) => {
      const written = writeHttpDate(form, dateMs);
      const text = written.slice(0, at) + changed + written.slice(at + 1);
      const read = parseHttpDate(text, dateMs);
      if (read === undefined) return;
      const again = FORMS.map((other) => writeHttpDate(other, read));
      const leapSecond = /:60 /.test(text);
      const paddedDay = text.replace(/ 0(\d) (?=\d\d:\d\d:\d\d \d)/, '  $1 ');
      assert.ok(leapSecond || again.includes(paddedDay), `${text} read as ${again[0]}`);
    }),
    { numRuns: 20_000 },
  );
});
