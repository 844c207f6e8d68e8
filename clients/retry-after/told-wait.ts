// What a server said about waiting, as a value that carries where it stood and why it could not be read. Apart, because
// every header is read into the same type.

/** Headers that can tell a wait, in lower case. */
export const TOLD_WAIT_SOURCES = [
  'retry-after-ms',
  'x-amz-retry-after',
  'retry-after',
  'ratelimit',
  'x-ratelimit-reset',
] as const;
export type ToldWaitSource = (typeof TOLD_WAIT_SOURCES)[number];

/** Every way to be unreadable. */
export const INVALID_REASONS = [
  'empty',
  'negative number',
  'plus sign',
  'fraction',
  'exponent',
  'not finite',
  'text after the digits',
  'not a number',
  'neither seconds nor a date',
  'malformed date',
  'doubled',
  'longer than ten years',
  'milliseconds where seconds are set',
  'not a structured field',
  'policy without a name',
  'parameter is no whole number',
  'exhausted without a reset',
] as const;
export type InvalidReason = (typeof INVALID_REASONS)[number];

export type ToldWait =
  /** `seconds`: told as a length, in whatever unit; `date`: told as a moment. Whole ms, 0 to ten years. */
  | { readonly kind: 'seconds' | 'date'; readonly waitMs: number; readonly source: ToldWaitSource }
  /** The moment is over, by the calendar of this side. */
  | { readonly kind: 'past_date'; readonly waitMs: 0; readonly source: ToldWaitSource }
  | { readonly kind: 'absent' }
  | {
      readonly kind: 'invalid';
      readonly reason: InvalidReason;
      readonly source: ToldWaitSource;
      /** The field as received, its first 60 characters. */
      readonly text: string;
    }
  /** A moment was told, but this side does not know what time it is. */
  | { readonly kind: 'clock_untrusted'; readonly source: ToldWaitSource };

/** Ten years of 365 days: what is longer is no wait but a timestamp read as a length. */
export const MAX_WAIT_MS = 315_360_000_000;
const MAX_TEXT = 60;

export function invalidWait(reason: InvalidReason, source: ToldWaitSource, text: string): ToldWait {
  return { kind: 'invalid', reason, source, text: text.slice(0, MAX_TEXT) };
}

/**
 * A wait told as a length.
 * @param waitMs at least 0; may be Infinity, which is then too long
 */
export function waitFor(waitMs: number, source: ToldWaitSource, text: string): ToldWait {
  return within('seconds', waitMs, source, text);
}

/**
 * A wait told as a moment.
 * @param targetMs when the wait is over, ms since 1970
 * @param nowDateMs calendar time, ms since 1970; undefined when it is not to be trusted
 */
export function waitUntil(
  targetMs: number,
  nowDateMs: number | undefined,
  source: ToldWaitSource,
  text: string,
): ToldWait {
  if (nowDateMs === undefined || !Number.isFinite(nowDateMs)) return { kind: 'clock_untrusted', source };
  const aheadMs = targetMs - nowDateMs;
  if (aheadMs < 0) return { kind: 'past_date', waitMs: 0, source };
  return within('date', aheadMs, source, text);
}

function within(kind: 'seconds' | 'date', waitMs: number, source: ToldWaitSource, text: string): ToldWait {
  if (!(waitMs <= MAX_WAIT_MS)) return invalidWait('longer than ten years', source, text);
  // The maximum makes 0 of -0.
  return { kind, waitMs: Math.max(0, Math.ceil(waitMs)), source };
}
