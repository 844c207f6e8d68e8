// What can be wrong with a state file, each told in one line: damage and misuse are the user's to mend, a full disk is the
// machine's.

import { InputError } from '../input-error.ts';

/** The state could not be written; nothing is lost that was on record, and nothing was sent that is not. */
export class StateWriteError extends Error {
  override readonly name = 'StateWriteError';
}

const USE: Readonly<Record<string, string>> = {
  SQLITE_BUSY: 'is in use by another process; allowed: one process a state file',
  SQLITE_LOCKED: 'is in use by another process; allowed: one process a state file',
  SQLITE_NOTADB: 'is no state file; allowed: a file that storm task has made, or a name that does not exist',
  SQLITE_CORRUPT: 'is damaged; allowed: a whole one, such as a copy of it made before',
  SQLITE_CANTOPEN: 'can not be opened; allowed: a place that can be read and written',
  SQLITE_READONLY: 'can not be written; allowed: a place that can be read and written',
  SQLITE_PERM: 'can not be opened; allowed: a place that can be read and written',
};

const WRITES: Readonly<Record<string, string>> = {
  SQLITE_FULL: 'the disk is full (ENOSPC)',
  SQLITE_IOERR: 'reading or writing failed (EIO)',
};

export function stateMistake(path: string, what: string): InputError {
  return new InputError(`${path}: state file: ${what}`);
}

/** The error to throw for one of SQLite's; any other comes back as it is. */
export function stateError(path: string, error: unknown): unknown {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  const main = /^SQLITE_[A-Z]+/.exec(String(code))?.[0] ?? codeIn(String(message));
  const use = USE[main];
  if (use !== undefined) return stateMistake(path, use);
  const write = WRITES[main];
  if (write === undefined) return error;
  return new StateWriteError(`${path}: state file: ${write}; what is on record is kept: storm resume ${path} goes on`, {
    cause: error,
  });
}

/** The driver tells some errors by their text alone. */
function codeIn(text: string): string {
  if (/database is locked/.test(text)) return 'SQLITE_BUSY';
  if (/file is not a database/.test(text)) return 'SQLITE_NOTADB';
  if (/malformed/.test(text)) return 'SQLITE_CORRUPT';
  if (/unable to open/i.test(text)) return 'SQLITE_CANTOPEN';
  if (/database or disk is full/.test(text)) return 'SQLITE_FULL';
  return '';
}
