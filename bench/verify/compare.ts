// Two texts of the same file: as found, and as it must be.

import type { Problem } from './verify-strategy.ts';

/** Names the first line that differs. */
export function compare(file: string, found: string, expected: string, problem: Problem): void {
  if (found === expected) return;
  const have = found.split('\n');
  const want = expected.split('\n');
  const index = want.findIndex((text, i) => text !== have[i]);
  const line = index === -1 ? want.length : index;
  problem(file, `line ${line + 1}: is "${clip(have[line])}", but the requests make it "${clip(want[line])}"`);
}

const clip = (text: string | undefined): string => (text ?? '(missing)').slice(0, 80);
