// For tests of durable tasks: `storm` in a process of its own, which can be signalled and killed.

import { join } from 'node:path';
import { ROOT } from '../testing.ts';
import { Child } from './crash/child.ts';

const STORM = join(ROOT, 'scripts', 'storm.mjs');

/** Runs `storm` without waiting for it: what it talks to may live in this process. */
export function stormChild(cwd: string, ...args: readonly string[]): Child {
  return new Child([STORM, ...args], cwd);
}

/** The same under a limit of the shell's. */
export function stormChildUnder(limit: string, cwd: string, ...args: readonly string[]): Child {
  return new Child(['-c', `${limit}; exec "$0" "$@"`, process.execPath, STORM, ...args], cwd, 'bash');
}
