// A client module that is wrong in itself, as any other mistake of the user's: one line, and nothing is written.

import { InputError } from '../input-error.ts';

/** @param client its name in the books */
export function clientMistake({ client }: { readonly client: string }, what: string, allowed: string): InputError {
  return new InputError(`client ${client}: ${what}; allowed: ${allowed}`);
}

/** An error on one line. */
export function textOf(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.split('\n')[0] ?? '';
}
