// The wait that a reply tells, out of all its headers. Apart from their parsers, because which header counts before
// which is a choice between documents, and a setting.

import { readWholeNumber, trimBlanks } from './field-text.ts';
import { parseRetryAfter, type RetryAfterOptions } from './parse-retry-after.ts';
import { waitFromRateLimit } from './rate-limit-fields.ts';
import { parseRateLimitReset, type ResetUnit } from './rate-limit-reset.ts';
import { invalidWait, type ToldWait, type ToldWaitSource, waitFor } from './told-wait.ts';

export interface ToldWaitSettings extends RetryAfterOptions {
  /** Headers to look at, the one that counts most first. */
  readonly sources: readonly ToldWaitSource[];
  /** Unit of X-RateLimit-Reset. */
  readonly resetUnit: ResetUnit;
}

export const DEFAULT_TOLD_WAIT: ToldWaitSettings = {
  sources: ['retry-after-ms', 'retry-after', 'ratelimit'],
  resetUnit: 'delta_seconds',
  doubled: 'invalid',
  fractions: 'invalid',
};

function parseMilliseconds(text: string, source: ToldWaitSource): ToldWait {
  const value = readWholeNumber(trimBlanks(text));
  return typeof value === 'number' ? waitFor(value, source, text) : invalidWait(value, source, text);
}

function read(
  source: ToldWaitSource,
  text: string,
  nowDateMs: number | undefined,
  settings: ToldWaitSettings,
): ToldWait {
  switch (source) {
    case 'retry-after-ms':
    case 'x-amz-retry-after':
      return parseMilliseconds(text, source);
    case 'retry-after':
      return parseRetryAfter(text, nowDateMs, settings);
    case 'ratelimit':
      return waitFromRateLimit(text);
    case 'x-ratelimit-reset':
      return parseRateLimitReset(text, settings.resetUnit, nowDateMs);
  }
}

/**
 * Reads the first source that is there, and no other, even when it can not be read: a server that says something wrong
 * in its first word is not to be trusted in its second. A RateLimit in which nothing is exhausted tells no wait, so the
 * next source is asked.
 * @param headers names in lower case
 * @param nowDateMs calendar time at the receipt, ms since 1970; undefined when it is not to be trusted
 */
export function readToldWait(
  headers: Readonly<Record<string, string>>,
  nowDateMs: number | undefined,
  settings: ToldWaitSettings,
): ToldWait {
  for (const source of settings.sources) {
    const text = headers[source];
    if (text === undefined) continue;
    const told = read(source, text, nowDateMs, settings);
    if (told.kind !== 'absent') return told;
  }
  return { kind: 'absent' };
}
