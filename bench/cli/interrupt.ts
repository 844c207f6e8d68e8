// What an interrupt does: what can be drained is, and ends with partial results; everything else, and a second interrupt, ends
// at once and leaves nothing half-written.

import { discardDrafts } from '../results-folder/result-folder.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { note } from './screen.ts';

let drain: (() => boolean) | undefined;

/** For the next interrupt; false when there is nothing to drain. The function returned takes it back. */
export function drainOnInterrupt(run: () => boolean): () => void {
  drain = run;
  return () => {
    drain = undefined;
  };
}

/** Also: a reader that closes its pipe is not a failure of ours. */
export function interruptible(): void {
  const stop = () => {
    const first = drain;
    drain = undefined;
    if (first?.() === true) {
      note('interrupted: nothing new is begun, what is under way is waited for; once more to end at once');
      return;
    }
    discardDrafts();
    process.exit(EXIT_CODES.interrupted.code);
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  for (const stream of [process.stdout, process.stderr]) {
    stream.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
      discardDrafts();
      process.exit(EXIT_CODES.ok.code);
    });
  }
}
