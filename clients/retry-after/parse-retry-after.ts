// The Retry-After header (RFC 9110, 10.2.3): seconds or a date, never a guess. Apart from the other headers, because
// it is the only one with two forms, and the only one whose doubling and fractions the documents disagree about.

import { readWholeNumber, trimBlanks } from './field-text.ts';
import { isHttpDate, parseHttpDate } from './http-date.ts';
import { invalidWait, type ToldWait, waitFor, waitUntil } from './told-wait.ts';

export interface RetryAfterOptions {
  /** Of several values: go-retryablehttp takes the first, smithy-typescript the last, RFC 9110 allows only one. */
  readonly doubled: 'first' | 'invalid' | 'last';
  /** `299.997`: no number of seconds, as RFC 9110 has it, or 300. */
  readonly fractions: 'invalid' | 'ceil';
}

const SOURCE = 'retry-after';
const DAY_NAME = /^(?:mon|tue|wed|thu|fri|sat|sun|monday|tuesday|wednesday|thursday|friday|saturday|sunday)$/i;
const STARTS_AS_DATE = /^(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*[, ]/i;
const PLAIN_DECIMAL = /^([0-9]+)\.([0-9]+)$/;

/** The values of a field that may have been sent several times and joined. The comma after a day name joins none. */
function valuesOf(text: string): string[] {
  const values: string[] = [];
  for (const piece of text.split(',')) {
    const before = values.at(-1);
    if (before !== undefined && DAY_NAME.test(before)) values[values.length - 1] = `${before},${piece}`;
    else values.push(trimBlanks(piece));
  }
  return values.map(trimBlanks);
}

function choose(values: readonly string[], doubled: RetryAfterOptions['doubled']): string | undefined {
  if (values.length > 1 && doubled === 'invalid') return undefined;
  return doubled === 'last' ? values.at(-1) : values[0];
}

/** Whole seconds, rounded up digit by digit: no fraction is too small to count, no number too large to be exact. */
function ceilSeconds(value: string): number | undefined {
  const [, whole, fraction = ''] = PLAIN_DECIMAL.exec(value) ?? [];
  return whole === undefined ? undefined : Number(whole) + (/[1-9]/.test(fraction) ? 1 : 0);
}

function parseDate(value: string, nowDateMs: number | undefined, text: string): ToldWait {
  const trustedMs = nowDateMs !== undefined && Number.isFinite(nowDateMs) ? nowDateMs : undefined;
  if (trustedMs === undefined && isHttpDate(value)) return { kind: 'clock_untrusted', source: SOURCE };
  const targetMs = trustedMs === undefined ? undefined : parseHttpDate(value, trustedMs);
  if (targetMs !== undefined) return waitUntil(targetMs, trustedMs, SOURCE, text);
  const reason = STARTS_AS_DATE.test(value) ? 'malformed date' : 'neither seconds nor a date';
  return invalidWait(reason, SOURCE, text);
}

/**
 * Reads a Retry-After header. What begins like a number is never tried as a date.
 * @param nowDateMs calendar time at the receipt, ms since 1970; undefined when it is not to be trusted
 */
export function parseRetryAfter(text: string, nowDateMs: number | undefined, options: RetryAfterOptions): ToldWait {
  const value = choose(valuesOf(text), options.doubled);
  if (value === undefined) return invalidWait('doubled', SOURCE, text);
  const read = readWholeNumber(value);
  if (typeof read === 'number') return waitFor(read * 1000, SOURCE, text);
  const rounded = options.fractions === 'ceil' ? ceilSeconds(value) : undefined;
  if (rounded !== undefined) return waitFor(rounded * 1000, SOURCE, text);
  return read === 'not a number' ? parseDate(value, nowDateMs, text) : invalidWait(read, SOURCE, text);
}
