// X-RateLimit-Reset, which no document defines: some platforms send seconds to go, others seconds or milliseconds since
// 1970. Apart, because here the unit is a setting: the number alone does not tell.

import { readWholeNumber, trimBlanks } from './field-text.ts';
import { invalidWait, type ToldWait, waitFor, waitUntil } from './told-wait.ts';

export type ResetUnit = 'delta_seconds' | 'epoch_seconds' | 'epoch_ms';

const SOURCE = 'x-ratelimit-reset';
/** As seconds this is the year 5138, as milliseconds 1973: a larger number counts milliseconds. */
const MAX_EPOCH_S = 1e11;

/**
 * Reads an X-RateLimit-Reset header in the unit that the platform is known to use.
 * @param nowDateMs calendar time at the receipt, ms since 1970; undefined when it is not to be trusted
 */
export function parseRateLimitReset(text: string, unit: ResetUnit, nowDateMs: number | undefined): ToldWait {
  const value = readWholeNumber(trimBlanks(text));
  if (typeof value !== 'number') return invalidWait(value, SOURCE, text);
  switch (unit) {
    case 'delta_seconds':
      return waitFor(value * 1000, SOURCE, text);
    case 'epoch_seconds':
      if (value > MAX_EPOCH_S) return invalidWait('milliseconds where seconds are set', SOURCE, text);
      return waitUntil(value * 1000, nowDateMs, SOURCE, text);
    case 'epoch_ms':
      return waitUntil(value, nowDateMs, SOURCE, text);
  }
}
