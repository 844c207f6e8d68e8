// The command line as a user meets it: endings, one-line mistakes that write nothing, and results that are whole or absent.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { changedPreset, ROOT, SMALL, storm, temporaryFolder } from '../testing.ts';
import { EXIT_CODES } from './exit-codes.ts';

const small = (changes: Readonly<Record<string, unknown>> = {}) =>
  changedPreset('storm-night', { ...SMALL, ...changes });

test('run writes a folder, verify balances it, explain tells a story, and the same command gives the same bytes', (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, 'small.yaml'), small());
  const ran = storm(cwd, 'run', 'small.yaml', '--clock', 'lockstep', '--out', 'one');
  assert.equal(ran.code, EXIT_CODES.ok.code, ran.stderr);
  assert.match(ran.stdout, /books balance/);
  assert.equal(ran.stderr, '', 'silent in a pipe');
  assert.ok(!ran.stdout.includes('\u001b['), 'no colour');
  assert.equal(storm(cwd, 'verify', 'one').code, EXIT_CODES.ok.code);
  const story = storm(cwd, 'explain', 'one', '--client', 'naive', '--item', '14');
  assert.equal(story.code, EXIT_CODES.ok.code, story.stderr);
  assert.match(story.stdout, /item 14 of storm-night, client naive/);
  assert.equal(storm(cwd, 'run', 'small.yaml', '--clock', 'lockstep', '--out', 'two').code, 0);
  for (const file of readdirSync(join(cwd, 'one'), { recursive: true, encoding: 'utf8' })) {
    if (!/\.\w+$/.test(file)) continue;
    assert.deepEqual(readFileSync(join(cwd, 'two', file)), readFileSync(join(cwd, 'one', file)), file);
  }
});

test('many nights: a row each, spreads in the summary, JSON alone on stdout, any number of workers', (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, 'small.yaml'), small());
  const texts = [1, 2, 4].map((workers) => {
    const ran = storm(
      cwd,
      'run',
      'small.yaml',
      '--nights',
      '30',
      '--workers',
      String(workers),
      '--json',
      '--out',
      `w${workers}`,
    );
    assert.equal(ran.code, 0, ran.stderr);
    assert.equal(JSON.parse(ran.stdout).strategies.length, 2);
    return `${ran.stdout}${readFileSync(join(cwd, `w${workers}`, 'nights.csv'), 'utf8')}`;
  });
  assert.equal(texts[1], texts[0]);
  assert.equal(texts[2], texts[0]);
  assert.equal(texts[0]?.match(/^naive,/gm)?.length, 30);
  assert.equal(storm(cwd, 'verify', 'w4').code, 0);
});

test('a determinism check proves both clocks', (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, 'small.yaml'), small({ 'task.items': 200 }));
  const ran = storm(cwd, 'run', 'small.yaml', '--check-determinism', '--out', 'r');
  assert.equal(ran.code, 0, ran.stderr);
  assert.equal(ran.stdout.match(/repeatable/g)?.length, 2);
});

test('a default name is never used twice', (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, 'small.yaml'), small({ 'task.items': 50 }));
  for (const name of ['storm-night', 'storm-night-2', 'storm-night-3']) {
    assert.equal(storm(cwd, 'run', 'small.yaml').code, 0);
    assert.ok(existsSync(join(cwd, 'results', name, 'manifest.json')), name);
  }
});

/** Arguments, and what the one line must say. */
const MISTAKES: readonly (readonly [readonly string[], RegExp])[] = [
  [[], /no command given/],
  [['dance'], /Unknown argument: dance|Unknown command: dance/],
  [['run'], /Not enough non-option arguments/],
  [['run', 'missing.yaml'], /^missing\.yaml:1: .*ENOENT.*allowed: a scenario file, or the name of a preset$/],
  [['run', 'broken.yaml'], /^broken\.yaml:1: column 7: not YAML: /],
  [['run', 'unknown.yaml'], /^unknown\.yaml:[0-9]+: task\.speed .*allowed: the fields/],
  [['run', 'storm-night', '--strategy', 'brave'], /--strategy: got "brave"; allowed: one of naive, guarded/],
  [['run', 'storm-night', '--seed', '-1'], /--seed: got -1; allowed: a whole number from 0/],
  [['run', 'storm-night', '--seed', 'x'], /--seed: got "x"; allowed/],
  [['run', 'storm-night', '--nights', '0'], /--nights: got 0; allowed: a whole number from 1/],
  [['run', 'storm-night', '--nights', '1.5'], /--nights: got 1\.5; allowed/],
  [['run', 'storm-night', '--workers', '0'], /--workers: got 0; allowed/],
  [['run', 'storm-night', '--clock', 'sundial'], /sundial.*"virtual", "lockstep"/],
  [['run', 'storm-night', '--out', 'taken'], /--out: got "taken"; allowed: a name that does not exist yet/],
  [
    ['run', 'storm-night', '--out', 'file/below'],
    /--out: got "file\/below"; allowed: a place that can be written \(this one: ENOTDIR\)/,
  ],
  [['run', 'storm-night', '--strategy'], /Not enough arguments following: strategy/],
  [['run', 'storm-night', '--out', 'a', '--out', 'b'], /--out: got \["a","b"\]; allowed: the option once/],
  [['run', 'late.yaml'], /^limits\.scenario_time_s: scenario time limit: .*past the limit of 1000 ms/],
  [['run', 'storm-night', '--out', `below/${'x'.repeat(300)}`], /ENAMETOOLONG/],
  [['strategies', 'toString'], /\[name\]: got "toString"; allowed: one of naive/],
  [['run', 'storm-night', '--faster'], /Unknown argument: faster/],
  [['reproduce', '--nights', '3'], /--nights: got 3; allowed: a whole number from 200/],
  [['reproduce', '--out', 'taken'], /--out: got "taken"/],
  [['explain', 'taken', '--item', '1'], /<results>: got "taken"; allowed: a folder that holds a manifest\.json/],
  [['explain', 'taken'], /item/],
  [['verify', 'nowhere'], /<results>: got "nowhere"; allowed/],
];

test('every mistake is one line, code 2, and leaves the folder as it was', (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, 'broken.yaml'), 'name: a\n  b: [\n');
  writeFileSync(join(cwd, 'unknown.yaml'), small({ 'task.speed': 3 }));
  writeFileSync(join(cwd, 'late.yaml'), small({ 'limits.scenario_time_s': 1 }));
  writeFileSync(join(cwd, 'file'), '');
  mkdirSync(join(cwd, 'taken'));
  const before = readdirSync(cwd, { recursive: true });
  for (const [args, says] of MISTAKES) {
    const ran = storm(cwd, ...args);
    const command = `storm ${args.join(' ')}`;
    assert.equal(ran.code, EXIT_CODES.badInput.code, `${command}: ${ran.stderr}`);
    assert.match(ran.stderr.trimEnd(), says, command);
    assert.equal(ran.stderr.trimEnd().split('\n').length, 1, `${command}: ${ran.stderr}`);
    assert.equal(ran.stdout, '', command);
  }
  assert.deepEqual(readdirSync(cwd, { recursive: true }), before);
});

test('an interrupt of a single night ends with 130 and leaves nothing half-written', async (t) => {
  const cwd = temporaryFolder(t);
  const args = [join(ROOT, 'scripts/storm.mjs'), 'run', 'storm-night', '--clock', 'lockstep', '--out', 'long'];
  const child = spawn(process.execPath, args, { cwd, stdio: 'ignore' });
  while (readdirSync(cwd).length === 0) await new Promise((resolve) => setImmediate(resolve));
  child.kill('SIGINT');
  const [code] = await once(child, 'exit');
  assert.equal(code, EXIT_CODES.interrupted.code);
  assert.deepEqual(readdirSync(cwd), []);
});

test('every command has help with an example', (t) => {
  const cwd = temporaryFolder(t);
  const help = storm(cwd, '--help').stdout;
  const commands = [...help.matchAll(/^ {2}storm ([a-z]+)/gm)].map(([, name]) => name ?? '');
  assert.ok(commands.length >= 6);
  for (const command of new Set(commands))
    assert.match(storm(cwd, command, '--help').stdout, /Examples:\n {2}storm /, command);
});

test('the table of exit codes in the README is the one in the code', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const rows = [...readme.matchAll(/^\| ([0-9]+) \| (.+) \|$/gm)].map(([, code, meaning]) => `${code} ${meaning}`);
  assert.deepEqual(
    rows,
    Object.values(EXIT_CODES).map(({ code, meaning }) => `${code} ${meaning}`),
  );
});
