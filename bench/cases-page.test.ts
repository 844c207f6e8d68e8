// docs/cases.md: every test that the page names exists under that name, and every case says what holds it.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { ROOT } from './testing.ts';

const page = readFileSync(join(ROOT, 'docs/cases.md'), 'utf8');
/** Cells of each row of the table whose first cell is a case. */
const rows = [...page.matchAll(/^\| (A\d+) \| (.*) \|$/gm)].map(([, name = '', rest = '']) => [
  name,
  ...rest.split(' | '),
]);

test('every test named on the page is in its file, under a name that begins so', () => {
  let named = 0;
  for (const [name, , , heldBy = ''] of rows) {
    for (const [, file = '', beginning = ''] of heldBy.matchAll(/`([^`]+)` "([^"]+)"/g)) {
      const text = readFileSync(join(ROOT, file), 'utf8');
      assert.ok(text.includes(`test('${beginning}`), `${name}: ${file} has no test "${beginning}"`);
      named++;
    }
  }
  assert.ok(named > 50, `${named} tests are named`);
});

test('every case has its reports, and a test or the word that it is not of this tool so far', () => {
  assert.equal(rows.length, 31);
  assert.deepEqual(new Set(rows.map(([name]) => name)).size, rows.length);
  for (const [name = '', reports = '', , heldBy = '', ...more] of rows) {
    assert.deepEqual(more, [], name);
    assert.match(reports, /^([\w.-]+\/[\w.-]+#\d+(, )?)+$/, name);
    assert.match(heldBy, /^(`[^`]+\.test\.ts` "|not of this tool so far)/, name);
  }
});
