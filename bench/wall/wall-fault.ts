// A night on real time that can not be trusted to have happened: a thread died, the machine has no room. One line, exit code 1.

/** Errors of the machine, by their code, in words that say what to do. */
const MACHINE: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EROFS: 'the place of the results can not be written',
  EMFILE: 'too many files are open for this process (ulimit -n)',
  ENFILE: 'too many files are open on this machine',
  EADDRINUSE: 'the port is taken',
  EADDRNOTAVAIL: 'no port of the loopback interface is free',
  ERR_WORKER_OUT_OF_MEMORY: 'a thread ran out of memory',
};

export class WallFault extends Error {
  override readonly name = 'WallFault';
}

/** What the machine refused, in words; undefined when the error is none of the machine's. */
export function machineFault(code: unknown): string | undefined {
  return typeof code === 'string' && Object.hasOwn(MACHINE, code) ? `${MACHINE[code]} (${code})` : undefined;
}

/** The code of an error, or of the one that it wraps. */
export function codeOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { code, cause } = error as { readonly code?: unknown; readonly cause?: unknown };
  return typeof code === 'string' ? code : codeOf(cause);
}
