// Holds that a told wait is the same in every time zone: a small table, read by children of this process in three
// zones.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import test from 'node:test';

const TEXTS = [
  'Wed, 21 Oct 2026 07:28:00 GMT',
  'Wednesday, 21-Oct-26 07:28:00 GMT',
  'Wed Oct 21 07:28:00 2026',
  'Sun, 08 Mar 2026 02:30:00 GMT',
  'Sun, 01 Nov 2026 01:30:00 GMT',
  'Thu, 31 Dec 2026 23:59:60 GMT',
  'Wed, 21 Oct 2026 07:28:00 EST',
  '-3',
  '1.5',
  '120',
];

/** Run in the child: its offset from UTC in winter, then one line for each text. */
const PROGRAM = `
  const [module, texts] = process.argv.slice(1);
  const { parseRetryAfter } = await import(module);
  console.log(new Date(1767225600000).getTimezoneOffset());
  for (const text of JSON.parse(texts)) {
    for (const nowMs of [1767225600000, 1792567620000, undefined]) {
      console.log(text, JSON.stringify(parseRetryAfter(text, nowMs, { doubled: 'invalid', fractions: 'invalid' })));
    }
  }`;

function readIn(zone: string): { offset: string | undefined; lines: string[] } {
  const module = new URL('./parse-retry-after.js', import.meta.url).href;
  const args = ['--input-type=module', '--eval', PROGRAM, module, JSON.stringify(TEXTS)];
  const output = execFileSync(process.execPath, args, { encoding: 'utf8', env: { ...process.env, TZ: zone } });
  const [offset, ...lines] = output.trim().split('\n');
  return { offset, lines };
}

test('Kolkata, New York and UTC read the same waits', () => {
  const [utc, kolkata, newYork] = [readIn('UTC'), readIn('Asia/Kolkata'), readIn('America/New_York')];
  assert.deepEqual([utc.offset, kolkata.offset, newYork.offset], ['0', '-330', '300'], 'the zones were in force');
  assert.equal(utc.lines.length, TEXTS.length * 3);
  assert.deepEqual(kolkata.lines, utc.lines);
  assert.deepEqual(newYork.lines, utc.lines);
  assert.equal(
    utc.lines[1],
    `${TEXTS[0]} {"kind":"date","waitMs":60000,"source":"retry-after"}`,
    'and they are the right ones',
  );
});
