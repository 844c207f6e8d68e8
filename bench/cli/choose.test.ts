// `storm compare` and `storm tune budget` as a user meets them: the same bytes from any number of workers and from the command on
// file, folders that verify makes again and in which it finds what was changed, and one-line mistakes that write nothing.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { filesBelow } from '../results-folder/manifest.ts';
import { changedPreset, coverUp, storm, temporaryFolder } from '../testing.ts';
import { EXIT_CODES } from './exit-codes.ts';

/** A folder with a storm of 60 items, whose quota nobody burns. */
function place(t: TestContext): string {
  const cwd = temporaryFolder(t);
  const small = changedPreset('storm-night', {
    'task.items': 60,
    'platform.gates.2.calls': 20_000,
    price: { per_call: 0.01, currency: 'EUR' },
  });
  writeFileSync(join(cwd, 'small.yaml'), small);
  return cwd;
}

const words = (command: string) => command.split(' ').slice(1);

/** Runs with 1 and with 2 workers, and then what the manifest says; all three must be the same bytes. */
function thrice(t: TestContext, ...args: readonly string[]): { cwd: string; said: string; json: string } {
  const cwd = place(t);
  const one = storm(cwd, ...args, '--workers', '1', '--out', 'one');
  assert.equal(one.code, EXIT_CODES.ok.code, one.stderr);
  assert.equal(one.stderr, '', 'silent in a pipe');
  const two = storm(cwd, ...args, '--workers', '2', '--out', 'two', '--json');
  assert.equal(two.code, EXIT_CODES.ok.code, two.stderr);
  const { command } = JSON.parse(readFileSync(join(cwd, 'one/manifest.json'), 'utf8'));
  const again = storm(join(cwd, 'one'), ...words(command), '--out', '../again');
  assert.equal(again.code, EXIT_CODES.ok.code, again.stderr);
  for (const file of filesBelow(join(cwd, 'one')))
    for (const other of ['two', 'again'])
      assert.equal(readFileSync(join(cwd, other, file), 'utf8'), readFileSync(join(cwd, 'one', file), 'utf8'), file);
  return { cwd, said: one.stdout, json: two.stdout };
}

/** Whether verify finds a change although the digests were made to fit. */
function changes(cwd: string, folder: string, file: string, from: RegExp | string, to: string): string {
  const path = join(cwd, folder, file);
  const text = readFileSync(path, 'utf8');
  assert.notEqual(text.replace(from, to), text, `${file} has ${from}`);
  writeFileSync(path, text.replace(from, to));
  coverUp(join(cwd, folder));
  const found = storm(cwd, 'verify', folder);
  assert.equal(found.code, EXIT_CODES.booksDiffer.code, `${file} changed: ${found.stdout}`);
  writeFileSync(path, text);
  coverUp(join(cwd, folder));
  return found.stdout;
}

test('compare names the better client, and its folder is made again from its nights', (t) => {
  const { cwd, said, json } = thrice(t, 'compare', 'small.yaml', '--nights', '12', '--figure', 'cost');
  assert.match(said, /small|storm-night {2}12 nights, seeds 1 to 12, .*cost in EUR/);
  assert.match(said, /difference to naive on the same night/);
  assert.match(said, /winner: guarded/);
  const { winner, standings, intervals } = JSON.parse(json);
  assert.equal(winner, 'guarded');
  assert.deepEqual(standings[0].rank, [1, 1]);
  assert.equal(intervals.confidence, 0.95);
  const verified = storm(cwd, 'verify', 'one');
  assert.equal(verified.code, 0, verified.stdout);
  assert.match(verified.stdout, /24 nights/);
  assert.match(changes(cwd, 'one', 'comparison.json', '"winner": "guarded"', '"winner": "naive"'), /"winner": "naive"/);
  changes(cwd, 'one', 'nights.csv', /^(guarded,3,done,)\d+/m, '$11');
  changes(cwd, 'one', 'nights.csv', /^guarded,3,/m, 'guarded,4,');
  changes(cwd, 'one', 'manifest.json', '--figure cost', '--figure calls');
});

test('compare with a price of the command line, with fewer than six nights, and the ablation', (t) => {
  const { said } = thrice(t, 'compare', 'small.yaml', '--nights', '5', '--price-per-call', '0.5');
  assert.match(said, /no winner: 5 nights are too few/);
  const { cwd, said: all, json } = thrice(t, 'compare', 'small.yaml', '--ablation', '--nights', '6');
  assert.match(all, /what a patch changes in calls/);
  assert.match(all, /checkpoint and budget/);
  assert.equal(JSON.parse(json).standings.length, 16);
  assert.equal(storm(cwd, 'verify', 'one').code, 0);
  changes(cwd, 'one', 'effects.csv', /^checkpoint,alone,calls,-\d/m, 'checkpoint,alone,calls,-9');
});

test('tune budget says the line, what the lines of the user are worth, and what other nights make of it', (t) => {
  const asked = ['--nights', '80', '--fresh', '80', '--target', '0.9', '--sensitivity-nights', '10'];
  const { cwd, said, json } = thrice(t, 'tune', 'budget', 'small.yaml', ...asked, '--line', '60', '--line', '130');
  assert.match(said, /closed form: mean 86\.7, .*inside of the interval/);
  assert.match(said, /confirmed: with \d+ calls/);
  assert.match(said, /60 is .* under the line of \d+: \d+ calls short\n {2}it never finishes: 0 of 80 nights/);
  assert.match(said, /130 is .* over the line of .*slack of/);
  assert.match(said, /it survives failure rates up to/);
  assert.match(said, /as many failing calls/);
  const { search, lines, curve } = JSON.parse(json);
  assert.equal(search.nights, 80);
  assert.deepEqual(
    lines.map(({ calls }: { calls: number }) => calls),
    [60, 130],
  );
  assert.ok(curve.length > 20);
  const verified = storm(cwd, 'verify', 'one');
  assert.equal(verified.code, 0, verified.stdout);
  assert.match(verified.stdout, /160 nights/);
  changes(cwd, 'one', 'tuning.json', /"value": \d+/, '"value": 91');
  changes(cwd, 'one', 'tuning.json', '"confirmed": true', '"confirmed": false');
  changes(cwd, 'one', 'curve.csv', /^130,1,/m, '130,0.5,');
  changes(cwd, 'one', 'nights.csv', /^(search,2,)\d+,\d+/m, '$1300,300');
  changes(cwd, 'one', 'manifest.json', '--line 60', '--line 61');
});

test('a target that no budget meets is said, and is no failure', (t) => {
  const cwd = place(t);
  writeFileSync(
    join(cwd, 'poor.yaml'),
    changedPreset('storm-night', { 'task.items': 60, 'platform.gates.2.calls': 50 }),
  );
  const ran = storm(cwd, 'tune', 'budget', 'poor.yaml', '--nights', '20', '--fresh', '20', '--out', 'poor');
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stdout, /no budget is enough: 0 % .* of nights finish at all/);
  assert.equal(storm(cwd, 'verify', 'poor').code, 0);
});

test('mistakes are one line with exit code 2, and write nothing', (t) => {
  const cwd = place(t);
  const table: readonly (readonly [string, RegExp])[] = [
    ['compare small.yaml --strategy naive', /--strategy: got "naive"; allowed: two strategies or more/],
    [
      'compare small.yaml --strategy naive --strategy nobody',
      /--strategy: got "nobody"; allowed: one of naive, guarded/,
    ],
    ['compare small.yaml --strategy naive --ablation', /either --strategy or --ablation/],
    ['compare small.yaml --baseline nobody', /--baseline: got "nobody"; allowed: one of naive, guarded/],
    ['compare small.yaml --nights 1', /--nights: got 1; allowed: a whole number from 2/],
    ['compare small.yaml --margin 2', /--margin: got 2; allowed: a number from 0 to 1/],
    ['compare calm --figure cost', /--figure: got "cost"; allowed: a price in the scenario, or --price-per-call/],
    ['compare small.yaml --figure speed', /figure/],
    ['compare nowhere.yaml', /nowhere\.yaml:1: \(the whole file\): can not be read/],
    ['tune', /command line: /],
    ['tune colour small.yaml', /command line: /],
    ['tune budget', /command line: /],
    ['tune budget small.yaml --strategy nobody', /--strategy: got "nobody"/],
    ['tune budget small.yaml --target 1', /--target: got 1; allowed: a number from 0\.01 to 0\.9999/],
    ['tune budget small.yaml --line none', /--line: got "none"; allowed: a whole number from 1/],
    ['tune budget small.yaml --seed 1 --seed 2', /--seed/],
  ];
  for (const [args, message] of table) {
    const ran = storm(cwd, ...args.split(' '), '--out', 'out');
    assert.equal(ran.code, EXIT_CODES.badInput.code, args);
    assert.match(ran.stderr, message, args);
    assert.equal(ran.stderr.trim().split('\n').length, 1, ran.stderr);
    assert.ok(!existsSync(join(cwd, 'out')), args);
  }
});
