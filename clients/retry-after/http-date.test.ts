// Holds that the three forms of an HTTP date are read to the letter, and nothing else is: examples of RFC 9110, days
// that do not exist, leap seconds, and the century of two digits.

import assert from 'node:assert/strict';
import test from 'node:test';
import { isHttpDate, parseHttpDate } from './http-date.ts';
import { readTestdata } from './testing.ts';

interface Examples {
  readonly retry_after_examples: readonly string[];
  readonly http_date_forms: readonly { readonly form: string; readonly value: string; readonly epoch_s: number }[];
}

const EXAMPLES = readTestdata('http-specs/rfc9110.json') as Examples;
const NOW_MS = Date.UTC(2026, 9, 16, 2, 0, 0);

test('the three forms of RFC 9110 are the same moment', () => {
  assert.deepEqual(
    EXAMPLES.http_date_forms.map(({ form }) => form),
    ['IMF-fixdate', 'rfc850-date', 'asctime-date'],
  );
  for (const { form, value, epoch_s } of EXAMPLES.http_date_forms) {
    assert.equal(parseHttpDate(value, NOW_MS), epoch_s * 1000, form);
    assert.ok(isHttpDate(value), form);
  }
});

test('the date among the examples of Retry-After', () => {
  const [date = '', seconds = ''] = EXAMPLES.retry_after_examples;
  assert.equal(parseHttpDate(date, NOW_MS), Date.UTC(1999, 11, 31, 23, 59, 59));
  assert.equal(parseHttpDate(seconds, NOW_MS), undefined);
});

test('edges that are dates', () => {
  const cases: readonly (readonly [text: string, epochMs: number])[] = [
    ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
    ['Wed, 31 Dec 1969 23:59:59 GMT', -1000],
    ['Thu, 29 Feb 2024 12:00:00 GMT', Date.UTC(2024, 1, 29, 12)],
    ['Tue, 29 Feb 2000 12:00:00 GMT', Date.UTC(2000, 1, 29, 12)],
    ['Sat, 31 Dec 2016 23:59:60 GMT', Date.UTC(2017, 0, 1)],
    ['Saturday, 31-Dec-16 23:59:60 GMT', Date.UTC(2017, 0, 1)],
    ['Sat Dec 31 23:59:60 2016', Date.UTC(2017, 0, 1)],
    ['Sun Nov 06 08:49:37 1994', 784_111_777_000],
    ['Sat, 01 Jan 0050 00:00:00 GMT', -60_589_296_000_000],
    ['Fri, 31 Dec 9999 23:59:59 GMT', 253_402_300_799_000],
  ];
  for (const [text, epochMs] of cases) assert.equal(parseHttpDate(text, NOW_MS), epochMs, text);
});

test('no date: days, months and times that do not exist, wrong weekdays', () => {
  const texts = [
    'Wed, 99 Foo 2026 25:00:00 GMT',
    'Sat, 31 Feb 2026 00:00:00 GMT',
    'Tue, 31 Feb 2026 00:00:00 GMT',
    'Sun, 29 Feb 2026 00:00:00 GMT',
    'Sun, 01 Mar 2026 24:00:00 GMT',
    'Sun, 01 Mar 2026 00:60:00 GMT',
    'Sun, 01 Mar 2026 00:00:61 GMT',
    'Sat, 00 Mar 2026 00:00:00 GMT',
    'Mon, 01 Mar 2026 00:00:00 GMT',
    'Xyz, 01 Mar 2026 00:00:00 GMT',
    'Monday, 06-Nov-94 08:49:37 GMT',
    'Mon Nov  6 08:49:37 1994',
    'Sun Nov  0 08:49:37 1994',
    'Sun Feb 30 08:49:37 1994',
  ];
  for (const text of texts) {
    assert.equal(parseHttpDate(text, NOW_MS), undefined, text);
    assert.ok(!isHttpDate(text), text);
  }
});

test('no date: other zones, other forms, other case, anything around it', () => {
  const texts = [
    'Sun, 06 Nov 1994 08:49:37 UTC',
    'Sun, 06 Nov 1994 08:49:37 Z',
    'Sun, 06 Nov 1994 08:49:37 EST',
    'Sun, 06 Nov 1994 08:49:37 +0000',
    'Sun, 06 Nov 1994 08:49:37',
    'Sun, 06 Nov 1994 08:49:37 gmt',
    'sun, 06 Nov 1994 08:49:37 GMT',
    'SUN, 06 NOV 1994 08:49:37 GMT',
    'Sun, 6 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 94 08:49:37 GMT',
    'Sun, 06 November 1994 08:49:37 GMT',
    'Sun,06 Nov 1994 08:49:37 GMT',
    'Sun,  06 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 8:49:37 GMT',
    'Sun, 06 Nov 1994 08:49 GMT',
    'Sun, 06 Nov 1994 08:49:37.5 GMT',
    '06 Nov 1994 08:49:37 GMT',
    'Sunday, 06 Nov 1994 08:49:37 GMT',
    'Sun, 06-Nov-94 08:49:37 GMT',
    'Sunday, 06-Nov-1994 08:49:37 GMT',
    'Sun Nov 6 08:49:37 1994',
    'Sun Nov  6 08:49:37 1994 GMT',
    ' Sun, 06 Nov 1994 08:49:37 GMT',
    'Sun, 06 Nov 1994 08:49:37 GMT ',
    'Sun, 06 Nov 1994 08:49:37 GMT\n',
    'Sun, ０6 Nov 1994 08:49:37 GMT',
    '1994-11-06T08:49:37Z',
    '120',
    '-3',
    '1.5',
    '',
  ];
  for (const text of texts) {
    assert.equal(parseHttpDate(text, NOW_MS), undefined, text);
    assert.ok(!isHttpDate(text), text);
  }
});

test('two digits: not more than 50 years ahead, to the second', () => {
  const ahead = 'Friday, 16-Oct-76 02:00:00 GMT';
  assert.equal(parseHttpDate(ahead, NOW_MS), Date.UTC(2076, 9, 16, 2), '50 years ahead');
  assert.equal(parseHttpDate(ahead, NOW_MS - 1000), undefined, 'a second more: 1976, in which it was a Saturday');
  const past = 'Saturday, 16-Oct-76 02:00:00 GMT';
  assert.equal(parseHttpDate(past, NOW_MS), undefined);
  assert.equal(parseHttpDate(past, NOW_MS - 1000), Date.UTC(1976, 9, 16, 2));
});

test('two digits around the turn of a century', () => {
  const cases: readonly (readonly [text: string, nowYear: number, year: number])[] = [
    ['Friday, 01-Jan-99 00:00:00 GMT', 2026, 1999],
    ['Saturday, 01-Jan-00 00:00:00 GMT', 1999, 2000],
    ['Saturday, 01-Jan-00 00:00:00 GMT', 2026, 2000],
    ['Friday, 01-Jan-10 00:00:00 GMT', 2026, 2010],
    ['Wednesday, 01-Jan-10 00:00:00 GMT', 2080, 2110],
    ['Wednesday, 01-Jan-70 00:00:00 GMT', 2026, 2070],
    ['Thursday, 01-Jan-70 00:00:00 GMT', 2010, 1970],
  ];
  for (const [text, nowYear, year] of cases) {
    assert.equal(parseHttpDate(text, Date.UTC(nowYear, 5, 1)), Date.UTC(year, 0, 1), `${text} in ${nowYear}`);
  }
  assert.equal(parseHttpDate('Tuesday, 29-Feb-00 00:00:00 GMT', Date.UTC(2060, 0, 1)), undefined, '2100 has none');
});

test('a clock beyond the calendar settles no century', () => {
  for (const nowMs of [Number.NaN, Number.POSITIVE_INFINITY, 1e300, 8.64e15]) {
    assert.equal(parseHttpDate('Sunday, 06-Nov-94 08:49:37 GMT', nowMs), undefined, `${nowMs}`);
    assert.equal(parseHttpDate('Sun, 06 Nov 1994 08:49:37 GMT', nowMs), 784_111_777_000, `${nowMs}`);
  }
});

test('without a clock an rfc850 date may be of any century, a weekday of none is still wrong', () => {
  const weekdays = ['Saturday', 'Friday', 'Wednesday', 'Monday'];
  for (const weekday of weekdays) assert.ok(isHttpDate(`${weekday}, 01-Jan-10 00:00:00 GMT`), weekday);
  for (const weekday of ['Sunday', 'Tuesday', 'Thursday']) {
    assert.ok(!isHttpDate(`${weekday}, 01-Jan-10 00:00:00 GMT`), weekday);
  }
});
