// How `storm` ends, and what that means. The table in the README is held against this one by a test.

export const EXIT_CODES = {
  ok: { code: 0, meaning: 'everything went well' },
  failure: { code: 1, meaning: 'a failure of ours: please report it' },
  badInput: { code: 2, meaning: 'bad input: a file, an option or a folder; nothing was written' },
  booksDiffer: { code: 3, meaning: 'the books do not balance, or a results folder was changed' },
  checkFailed: { code: 4, meaning: 'a stated check or threshold failed' },
  notSimulated: { code: 5, meaning: 'foreign code did what simulated time can not follow; no table was written' },
  interrupted: { code: 130, meaning: 'interrupted; what is written is whole, or marked partial for storm resume' },
} as const;
export type ExitName = keyof typeof EXIT_CODES;

/** Ends the command with a code other than 0 and one line that says why. */
export class ExitError extends Error {
  override readonly name = 'ExitError';
  readonly exit: ExitName;

  constructor(exit: ExitName, message: string) {
    super(message);
    this.exit = exit;
  }
}
