// Everything that must be green: format and lint, unused code, and the tests. Arguments are passed on to the test runner:
// node scripts/test.mjs --test-name-pattern breaker

import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { prepare, root } from './prepare.mjs';

prepare();
const bin = (name) => join(root, 'node_modules', '.bin', process.platform === 'win32' ? `${name}.cmd` : name);
// Named one by one: patterns are read differently by the versions of Node, and dist may hold tests of files long gone.
const tests = ['bench', 'clients', 'platform-sim', 'scripts']
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile() && entry.name.endsWith('.test.ts'))
  .map((entry) => join(root, 'dist', relative(root, join(entry.parentPath, entry.name))).replace(/\.ts$/, '.js'))
  .sort();

const steps = [
  ['format and lint', bin('biome'), ['check', '--error-on-warnings', '.']],
  ['unused code', bin('knip'), []],
  [
    'tests',
    process.execPath,
    ['--test', `--test-concurrency=${availableParallelism()}`, ...process.argv.slice(2), ...tests],
  ],
];
for (const [what, command, args] of steps) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: 'inherit', shell: process.platform === 'win32' });
  if (status !== 0) {
    process.stderr.write(`${what}: failed\n`);
    process.exit(status ?? 1);
  }
}
