// A file held against the text that it must be.

/** Told of one thing that is not as it must be: a file, and what is wrong in it. */
export type Problem = (file: string, what: string) => void;

/**
 * Names the first line that differs.
 * @param makers what the expected text was made of, in the plural
 */
export function compareText(file: string, found: string, expected: string, makers: string, problem: Problem): void {
  if (found === expected) return;
  const have = found.split('\n');
  const want = expected.split('\n');
  const index = want.findIndex((text, i) => text !== have[i]);
  const line = index === -1 ? want.length : index;
  problem(file, `line ${line + 1}: is "${clip(have[line])}", but the ${makers} make it "${clip(want[line])}"`);
}

const clip = (text: string | undefined): string => (text ?? '(missing)').slice(0, 80);
