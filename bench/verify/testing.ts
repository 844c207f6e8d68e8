// For tests of verify: a results folder that somebody changes, and covers the change up.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stream } from '../../platform-sim/draws.ts';
import { filesBelow } from '../results-folder/manifest.ts';
import { coverUp } from '../testing.ts';
import { verifyFolder } from './verify-folder.ts';

/** Digits tried in each file. */
const TRIALS = 25;

/**
 * Changes digits anywhere in what is counted, one at a time, and makes the digests fit: each must be found.
 * @param told what is on file once, told by the client alone: no digit of it is tried
 */
export async function everyDigitIsFound(folder: string, told: RegExp): Promise<void> {
  const draw = stream(5, 'digits');
  const files = filesBelow(folder).filter((name) => !/manifest\.json|scenario\.yaml/.test(name));
  for (const [f, file] of files.entries()) {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    const kept = text.replace(told, (match) => match.replace(/[0-9]/g, 'x'));
    const digits = [...kept.matchAll(/[0-9]/g)].map(({ index }) => index);
    for (let trial = 0; trial < Math.min(TRIALS, digits.length); trial++) {
      const index = digits[Math.floor(draw(f, trial) * digits.length)] ?? 0;
      const changed = `${text.slice(0, index)}${(Number(text[index]) + 1) % 10}${text.slice(index + 1)}`;
      if (file.endsWith('.json') && saysTheSame(text, changed)) continue;
      writeFileSync(path, changed);
      coverUp(folder);
      const { problemCount } = await verifyFolder(folder);
      assert.ok(problemCount > 0, `${file} at ${index}: ${text.slice(Math.max(0, index - 60), index + 20)}`);
    }
    writeFileSync(path, text);
    coverUp(folder);
  }
  assert.equal((await verifyFolder(folder)).problemCount, 0);
}

/** The last digits of a long fraction may make no other number. */
const saysTheSame = (text: string, changed: string): boolean =>
  JSON.stringify(JSON.parse(text)) === JSON.stringify(JSON.parse(changed));
