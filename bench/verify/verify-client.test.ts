// `storm verify` of foreign code: of a client module beside a strategy, of a whole task and of a driven program. It finds one
// digit changed anywhere, digests recomputed or not, and what nothing else on file says is left out by name.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { testdata } from '../foreign/testing.ts';
import { MANIFEST } from '../results-folder/manifest.ts';
import { changedPreset, coverUp, storm, temporaryFolder } from '../testing.ts';
import { everyDigitIsFound } from './testing.ts';
import { verifyFolder } from './verify-folder.ts';

interface Kind {
  readonly name: string;
  /** Arguments of storm that make its folder, without --out. */
  readonly args: readonly string[];
  /** What stands on file once, besides the Retry-After of a reply. */
  readonly told: readonly string[];
}

/** Of foreign code no log says how it read it. */
const RETRY_AFTER = '(?<=,(limit429|quota429|error503),)[^,]+';

const DRIVEN: Kind = {
  name: 'a driven program',
  args: ['drive', '--scenario', 'small.yaml', '--', process.execPath, testdata('job.mjs'), 'fetch', '60'],
  // When a program ended, no request says.
  told: ['"duration_s": .*'],
};

const KINDS: readonly Kind[] = [
  {
    name: 'a client module beside a strategy, two nights',
    args: ['run', 'small.yaml', '--client', 'my-client.mjs', '--strategy', 'guarded', '--nights', '2'],
    told: ['"item_ms": \\{[^}]*\\}', '"budget_left":\\{[^}]*\\}'],
  },
  {
    name: 'a whole task, two nights',
    args: ['run', 'small.yaml', '--client', testdata('whole-task.mjs'), '--nights', '2'],
    told: [],
  },
  DRIVEN,
];

function made(t: TestContext, { args }: Kind): string {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, 'small.yaml'), changedPreset('storm-night', { 'task.items': 60 }));
  assert.equal(storm(cwd, 'init').code, 0);
  const [command = '', ...rest] = args;
  const ran = storm(cwd, command, '--out', 'r', ...rest);
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stdout, /books balance/);
  return join(cwd, 'r');
}

for (const kind of KINDS) {
  test(`${kind.name}: balances, and any digit changed in what is counted is found`, async (t) => {
    const folder = made(t, kind);
    assert.deepEqual((await verifyFolder(folder)).problems, []);
    assert.equal(storm(join(folder, '..'), 'verify', 'r').code, 0);
    await everyDigitIsFound(folder, new RegExp([RETRY_AFTER, ...kind.told].join('|'), 'g'));
  });
}

/** A change to a file of a driven folder, and what verify says of it. */
const CHANGES: readonly (readonly [string, RegExp | string, string, RegExp])[] = [
  ['summary.json', /"median": /, '"median": 1', /item_ms is .*, but the requests make it/],
  ['summary.json', /"success": [0-9]+\s*\}/, '"failure": 60 }', /endings are .*, which are not those of its items/],
  ['summary.json', /"endings"/, '"ends"', /says nothing of endings and item_ms/],
  ['summary.json', /"duration_s": [0-9.]+/, '"duration_s": 0.001', /ends at .* ms, but a request was under way at/],
  [MANIFEST, '--seed 1', '--seed 2', /its command does not begin with: storm drive/],
  [MANIFEST, '--name job', '--name other', /its command does not begin with: storm drive/],
];

test('of a driven program: what of its summary and its command can be held against the rest is', async (t) => {
  const folder = made(t, DRIVEN);
  for (const [file, from, to, says] of CHANGES) {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    const changed = text.replace(from, to);
    assert.notEqual(changed, text, `${file}: ${from}`);
    writeFileSync(path, changed);
    coverUp(folder);
    assert.match((await verifyFolder(folder)).problems.join('\n'), says, `${file}: ${from}`);
    writeFileSync(path, text);
    coverUp(folder);
  }
  assert.equal((await verifyFolder(folder)).problemCount, 0);
});
