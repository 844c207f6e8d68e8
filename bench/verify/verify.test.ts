// `storm verify` finds one count, one row or one byte changed anywhere in a results folder, digests recomputed or not.

import assert from 'node:assert/strict';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { filesBelow, MANIFEST } from '../results-folder/manifest.ts';
import { changedPreset, coverUp, storm, temporaryFolder } from '../testing.ts';
import { everyDigitIsFound } from './testing.ts';
import { verifyFolder } from './verify-folder.ts';

/** Makes a small results folder once; every test changes a copy. */
function original(cwd: string): string {
  writeFileSync(
    join(cwd, 'small.yaml'),
    changedPreset('storm-night', { 'task.items': 120, 'platform.gates.2.calls': 250 }),
  );
  const ran = storm(cwd, 'run', 'small.yaml', '--nights', '3', '--out', 'r');
  assert.equal(ran.code, 0, ran.stderr);
  return join(cwd, 'r');
}

/** Changes the last number of a line. */
function lastNumber(line: string): string {
  return line.replace(/([0-9]+)(?!.*[0-9])/, (digits) => String(Number(digits) + 1));
}

test('an untouched folder balances; any file changed, added or missing is named, by digest and by count', async (t) => {
  const cwd = temporaryFolder(t);
  const folder = original(cwd);
  assert.equal((await verifyFolder(folder)).problemCount, 0);
  const copy = join(cwd, 'copy');
  // Counted files are found out even when the digests are made to fit; the others by their digest.
  const counted = /\.csv$|latency|audit|summary/;
  for (const file of filesBelow(folder).filter((name) => name !== MANIFEST)) {
    for (const covered of [false, true]) {
      if (covered && !counted.test(file)) continue;
      cpSync(folder, copy, { recursive: true });
      const path = join(copy, file);
      const lines = readFileSync(path, 'utf8').split('\n');
      const start = file.endsWith('.json')
        ? lines.findIndex((text) => text.includes('"billed"'))
        : file === 'nights.csv'
          ? 1
          : 2;
      const from = Math.min(start, lines.length - 2);
      const row = lines.findIndex((text, i) => i >= from && /[0-9]/.test(text));
      writeFileSync(path, lines.map((text, i) => (i === row ? lastNumber(text) : text)).join('\n'));
      if (covered) coverUp(copy);
      const { problems } = await verifyFolder(copy);
      assert.ok(problems.length > 0, `${file}, ${covered ? 'covered up' : 'as it is'}`);
      rmSync(copy, { recursive: true });
    }
  }
  cpSync(folder, copy, { recursive: true });
  rmSync(join(copy, 'naive', 'audit.jsonl'));
  mkdirSync(join(copy, 'extra'));
  writeFileSync(join(copy, 'extra', 'file'), '');
  const text = (await verifyFolder(copy)).problems.join('\n');
  assert.match(text, /naive\/audit\.jsonl: is missing/);
  assert.match(text, /extra\/file: is not in the manifest/);
});

test('any file taken away is named, and nothing crashes', async (t) => {
  const cwd = temporaryFolder(t);
  const folder = original(cwd);
  for (const file of filesBelow(folder).filter((name) => name !== MANIFEST)) {
    const path = join(folder, file);
    const bytes = readFileSync(path);
    rmSync(path);
    const { problems } = await verifyFolder(folder);
    assert.ok(problems.includes(`${file}: is missing`), file);
    writeFileSync(path, bytes);
  }
});

test('any digit changed anywhere in what is counted is found, digests made to fit', async (t) => {
  const cwd = temporaryFolder(t);
  const folder = original(cwd);
  // What was left of a budget is told by the client alone, and nothing else on file says it again.
  await everyDigitIsFound(folder, /"budget_left":\{[^}]*\}/g);
});

test('a folder is the same however its name is written, and a damaged one is a problem and no crash', async (t) => {
  const cwd = temporaryFolder(t);
  const folder = original(cwd);
  for (const name of ['r', 'r/', './r', `../${cwd.split('/').at(-1)}/r`])
    assert.equal(storm(cwd, 'verify', name).code, 0, name);
  for (const text of ['{"strategies":{}}', '[null]', '{', '']) {
    writeFileSync(join(folder, 'summary.json'), text);
    const ran = storm(cwd, 'verify', 'r');
    assert.equal(ran.code, 3, ran.stderr);
    assert.doesNotMatch(ran.stderr, /\n {4}at /, 'no stack trace');
  }
});

test('one request taken away, doubled or turned around anywhere in requests.csv is found, digests made to fit', async (t) => {
  const cwd = temporaryFolder(t);
  const folder = original(cwd);
  const path = join(folder, 'naive', 'requests.csv');
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const rows = lines.length - 1;
  for (const row of [1, 2, Math.floor(rows / 2), rows]) {
    const changes: readonly (readonly [string, string[]])[] = [
      ['taken away', lines.filter((_, i) => i !== row)],
      ['doubled', lines.flatMap((text, i) => (i === row ? [text, text] : [text]))],
      [
        'billed turned',
        lines.map((text, i) =>
          i === row
            ? text.replace(
                /(ok|error500|edge|soft|quota),([01]),/,
                (_, verdict: string, billed: string) => `${verdict},${1 - Number(billed)},`,
              )
            : text,
        ),
      ],
    ];
    for (const [what, changed] of changes) {
      writeFileSync(path, `${changed.join('\n')}\n`);
      coverUp(folder);
      assert.ok((await verifyFolder(folder)).problemCount > 0, `row ${row} ${what}`);
    }
  }
});

test('a request said to have never arrived is found, with and without what the platform has of it', async (t) => {
  const cwd = temporaryFolder(t);
  const folder = original(cwd);
  const path = join(folder, 'naive', 'requests.csv');
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n');
  const columns = lines[0]?.split(',') ?? [];
  const never: Readonly<Record<string, string>> = { status: '', reply_class: 'never_arrived', match: 'never_arrived' };
  const unknown = { arrived_ms: '', verdict: '', billed: '', latency_ms: '', retry_after: '' };
  for (const [change, says] of [
    [{ ...never, ...unknown }, /client never_arrived = connections that a fault refused is off by 1/],
    [never, /naive-[0-9]+: never arrived, but has verdict/],
    [{ ...unknown, status: '', match: 'never_arrived' }, /naive-[0-9]+: arrived_ms is empty/],
  ] as const) {
    const cells = lines[5]?.split(',').map((cell, i) => change[columns[i] as keyof typeof change] ?? cell);
    writeFileSync(path, `${lines.map((text, i) => (i === 5 ? cells?.join() : text)).join('\n')}\n`);
    coverUp(folder);
    assert.match((await verifyFolder(folder)).problems.join('\n'), says);
  }
});

test('what does not balance ends the command with 3', (t) => {
  const cwd = temporaryFolder(t);
  const folder = original(cwd);
  const path = join(folder, 'guarded', 'billing-by-minute.csv');
  writeFileSync(
    path,
    readFileSync(path, 'utf8').replace(/^0,([0-9]+)/m, (_, total: string) => `0,${Number(total) - 1}`),
  );
  const ran = storm(cwd, 'verify', 'r');
  assert.equal(ran.code, 3);
  assert.match(ran.stdout, /guarded\/billing-by-minute\.csv: line 2/);
});
