// Shared by the tests of told waits: dates written in the three forms by the language's own UTC calendar, which shares
// nothing with our parser, and the data files of this project.

import { readFileSync } from 'node:fs';
import fc from 'fast-check';

export const FORMS = ['imf-fixdate', 'rfc850', 'asctime'] as const;
export type HttpDateForm = (typeof FORMS)[number];

const LONG_DAYS: Readonly<Record<string, string>> = {
  Mon: 'Monday',
  Tue: 'Tuesday',
  Wed: 'Wednesday',
  Thu: 'Thursday',
  Fri: 'Friday',
  Sat: 'Saturday',
  Sun: 'Sunday',
};

/** @param dateMs whole seconds, in ms since 1970; years 1000 to 9999 */
export function writeHttpDate(form: HttpDateForm, dateMs: number): string {
  const fixdate = new Date(dateMs).toUTCString();
  if (form === 'imf-fixdate') return fixdate;
  const [weekday = '', day = '', month = '', year = '', time = ''] = fixdate.replace(',', '').split(' ');
  if (form === 'rfc850') return `${LONG_DAYS[weekday]}, ${day}-${month}-${year.slice(2)} ${time} GMT`;
  return `${weekday} ${month} ${day.replace(/^0/, ' ')} ${time} ${year}`;
}

/** Any whole second from 1970 to 2099, in ms since 1970. */
export const anySecondMs = fc
  .integer({ min: 0, max: Date.UTC(2100, 0, 1) / 1000 - 1 })
  .map((seconds) => seconds * 1000);

/** @param path below clients/testdata */
export function readTestdata(path: string): unknown {
  return JSON.parse(readFileSync(new URL(`../../../clients/testdata/${path}`, import.meta.url), 'utf8'));
}
