// Case A45 at every byte: whatever the length at which a log was cut, what was acknowledged is there, nothing is merged, and
// it can be written on.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { InputError } from '../input-error.ts';
import { temporaryFolder } from '../testing.ts';
import { LineLog, readLines } from './line-log.ts';

interface Row {
  readonly id: string;
}

const TEXT = ['1', 'zwölf', '3"\\n', '☂'].map((id) => `${JSON.stringify({ id })}\n`).join('');

test('case A45: cut at every byte, whole lines stay, the torn one goes, and the next is a line of its own', (t) => {
  const path = join(temporaryFolder(t), 'log');
  const bytes = Buffer.from(TEXT, 'utf8');
  for (let length = 0; length <= bytes.length; length++) {
    const cut = bytes.subarray(0, length);
    writeFileSync(path, cut);
    const whole = cut.lastIndexOf(10) + 1;
    const before = readLines<Row>(path);
    assert.deepEqual([before.wholeBytes, before.tornBytes], [whole, length - whole]);
    const log = new LineLog<Row>(path, false);
    assert.deepEqual(log.before, before);
    log.add({ id: 'next' });
    log.close();
    const rows = readLines<Row>(path);
    assert.equal(rows.tornBytes, 0);
    assert.deepEqual(rows.records, [...before.records, { id: 'next' }], `cut at ${length}`);
  }
});

test('case A45 as it was reported: rows 1 and 2, and the cut row is written again', (t) => {
  const path = join(temporaryFolder(t), 'log');
  writeFileSync(path, '{"header":true}\n{"id":"1"}\n{"id":');
  const log = new LineLog<object>(path, true);
  log.add({ id: '2' });
  log.close();
  assert.equal(readFileSync(path, 'utf8'), '{"header":true}\n{"id":"1"}\n{"id":"2"}\n');
});

test('a line in the middle that is no record is damage, told with file and line, and nothing is changed', (t) => {
  const path = join(temporaryFolder(t), 'log');
  for (const damage of ['{"id":\n', '\n', 'null\n', '7\n', '{"id":"1"}{"id":"2"}\n']) {
    const text = `{"id":"0"}\n${damage}{"id":"3"}\n{"i`;
    writeFileSync(path, text);
    assert.throws(
      () => new LineLog(path, false),
      (error) => error instanceof InputError && error.message.startsWith(`${path}:2: damaged`),
    );
    assert.equal(readFileSync(path, 'utf8'), text);
  }
});

test('a record is in the file when add returns', (t) => {
  const path = join(temporaryFolder(t), 'log');
  const log = new LineLog<Row>(path, false);
  log.add({ id: '1' });
  assert.equal(readFileSync(path, 'utf8'), '{"id":"1"}\n');
  log.add({ id: '2' });
  assert.equal(readFileSync(path, 'utf8'), '{"id":"1"}\n{"id":"2"}\n');
  log.close();
});

test('no room: a record that does not fit is refused whole, and the file ends with the last that did', (t) => {
  const path = join(temporaryFolder(t), 'log');
  const module = new URL('./line-log.js', import.meta.url).href;
  const program = `const { LineLog } = await import('${module}');
    const log = new LineLog('${path}', false);
    let code;
    for (let id = 0; code === undefined && id < 100; id++)
      try { log.add({ id, text: 'x'.repeat(70) }); } catch (error) { code = error.code; }
    process.stdout.write(code);`;
  // A limit on the size of files stands for a full disk: the write that meets it is cut short as well.
  const shell = 'ulimit -f 1; exec "$0" --input-type=module -e "$1"';
  const { stdout, stderr } = spawnSync('bash', ['-c', shell, process.execPath, program], { encoding: 'utf8' });
  assert.equal(stdout, 'EFBIG', stderr);
  const { records, tornBytes } = readLines<Row>(path);
  assert.equal(tornBytes, 0);
  assert.ok(records.length >= 5, `${records.length} records`);
});
