// How a gate states its Retry-After: the truth rounded up, a fixed number of seconds, an HTTP date, nothing, or a text
// that no client should be able to read. What a real platform says is a setting of the scenario, not a law.

/** Form in which a gate states how long to wait. */
export type RetryAfterForm =
  /** Whole seconds: `valueS` if given, else the true wait, rounded up. */
  | { readonly form: 'seconds'; readonly valueS?: number | undefined }
  /** IMF-fixdate of now plus the wait. */
  | { readonly form: 'http-date'; readonly valueS?: number | undefined }
  | { readonly form: 'absent' }
  /** The text as it stands, readable or not. */
  | { readonly form: 'text'; readonly value: string };

const NOISE_MS = 1e-3;
/** Ten years: a longer wait is no wait, and is not stated. */
const MAX_STATED_S = 315_360_000;

/**
 * The header's value, or undefined for none.
 * @param trueWaitMs how long the limit really lasts; Infinity when it does not end by itself
 * @param dateMs calendar time of the platform, ms since 1970
 */
export function stateRetryAfter(form: RetryAfterForm, trueWaitMs: number, dateMs: number): string | undefined {
  if (form.form === 'absent') return undefined;
  // HTTP does not carry outer spaces, so they are not stated in process either.
  if (form.form === 'text') return form.value.trim();
  // Rounded up, and never 0: a client that waits exactly this long must not meet the same limit again. A microsecond more
  // is the noise of fractional rates, and rounding it up would cost the client a whole second.
  const seconds = form.valueS ?? Math.max(1, Math.ceil((trueWaitMs - NOISE_MS) / 1000));
  if (!(seconds <= MAX_STATED_S)) return undefined;
  if (form.form === 'seconds') return String(seconds);
  return new Date(Math.ceil(dateMs / 1000) * 1000 + seconds * 1000).toUTCString();
}
