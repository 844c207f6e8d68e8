// The committed reference run, made again over HTTP: every file the same byte for byte, and by its digest every large one.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { filesBelow, MANIFEST } from '../bench/results-folder/manifest.ts';
import { temporaryFolder } from '../bench/testing.ts';
import { makeReference, REFERENCE } from './reference.ts';

test('results/reference/storm-night is what this code makes', async (t) => {
  const again = join(temporaryFolder(t), 'reference');
  await makeReference(again);
  const files = filesBelow(REFERENCE);
  assert.deepEqual(filesBelow(again), files);
  for (const file of files) {
    const read = (folder: string) => readFileSync(join(folder, file), 'utf8');
    // The manifest names the version of Node that ran, which is the one thing that may differ.
    const comparable = (text: string) => (file === MANIFEST ? text.replace(/^ {2}"node": .*\n/m, '') : text);
    assert.equal(comparable(read(again)), comparable(read(REFERENCE)), file);
  }
});
