// What an interrupt does: the first one may be a command's own affair, which then ends in its own time; the next ends at once and
// leaves nothing half-written.

import { discardDrafts } from '../results-folder/result-folder.ts';
import { EXIT_CODES } from './exit-codes.ts';

let first: (() => void) | undefined;

/** The next interrupt is handed to `run`; the one after that ends the program. */
export function onInterrupt(run: () => void): void {
  first = run;
}

/** Listens for interrupts, once for the whole program. */
export function interruptible(): void {
  const stop = () => {
    if (first !== undefined) {
      const run = first;
      first = undefined;
      run();
      return;
    }
    discardDrafts();
    process.exit(EXIT_CODES.interrupted.code);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}
