// Installs and builds what is missing, so that `npm start` and `npm test` work on a fresh clone. Plain JavaScript with
// nothing but Node's own modules, since it runs before anything is installed.

import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = dirname(dirname(fileURLToPath(import.meta.url)));
const SOURCES = ['bench', 'clients', 'platform-sim', 'scripts'];

const at = (...parts) => join(root, ...parts);
const changed = (path) => (existsSync(path) ? statSync(path).mtimeMs : 0);

function run(what, command, args) {
  process.stderr.write(`${what}\n`);
  // npm is a .cmd file on Windows, which only a shell starts.
  const { status } = spawnSync(command, args, {
    cwd: root,
    stdio: ['ignore', process.stderr, process.stderr],
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    process.stderr.write(`${what} failed\n`);
    process.exit(1);
  }
}

function newestSource() {
  let newest = Math.max(changed(at('tsconfig.json')), changed(at('package-lock.json')));
  for (const folder of SOURCES) {
    for (const entry of readdirSync(at(folder), { recursive: true, withFileTypes: true })) {
      if (entry.name.endsWith('.ts')) newest = Math.max(newest, changed(join(entry.parentPath, entry.name)));
    }
  }
  return newest;
}

/** Makes sure that node_modules and dist are there and not older than what they are made from. */
export function prepare() {
  // An installed package brings its dist and has no sources to build.
  if (!existsSync(at('tsconfig.json'))) return;
  if (changed(at('node_modules', '.package-lock.json')) < changed(at('package-lock.json'))) {
    run('installing what package-lock.json names …', 'npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error']);
  }
  const built = at('dist', '.tsbuildinfo');
  if (changed(built) >= newestSource()) return;
  // The compiler leaves its record alone when no output changed; a missing one is always written.
  rmSync(built, { force: true });
  run('building …', process.execPath, [at('node_modules', 'typescript', 'bin', 'tsc'), '-p', root]);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) prepare();
