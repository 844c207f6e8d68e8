// A mistake of the user's: one clear line, exit code 2, no stack trace, nothing written.

export class InputError extends Error {
  override readonly name = 'InputError';
}

/** Where and what, in the one form that every mistake in a file is told: `file:line: field: got value; allowed …`. */
export function inputMistake(where: string, field: string, got: unknown, allowed: string): InputError {
  return new InputError(`${where}: ${field}: got ${shown(got)}; allowed: ${allowed}`);
}

function asText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // Circular, or without a text of its own; a message must not fail for that.
    return Object.prototype.toString.call(value);
  }
}

const MAX_SHOWN = 60;

/** A value as a user would recognise it, on one line and not too long. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (typeof value === 'number' || typeof value === 'bigint') return String(value);
  const text = asText(value);
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
