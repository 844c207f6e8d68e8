// `storm init`, `run --client` and `drive` as a user meets them: what they write, what they refuse, and how they end.

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { testdata } from '../foreign/testing.ts';
import { filesBelow, MANIFEST } from '../results-folder/manifest.ts';
import { changedPreset, storm, temporaryFolder } from '../testing.ts';
import { EXIT_CODES } from './exit-codes.ts';

function folderWithScenario(t: TestContext): string {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, 'small.yaml'), changedPreset('storm-night', { 'task.items': 40 }));
  return cwd;
}

const DRIVE = ['drive', '--scenario', 'small.yaml'];
const job = (...args: readonly string[]) => ['--', process.execPath, testdata('job.mjs'), ...args];

/** Both folders hold the same files with the same bytes. */
function assertSameBytes(left: string, right: string): void {
  assert.deepEqual(filesBelow(left), filesBelow(right));
  for (const file of filesBelow(left))
    assert.deepEqual(readFileSync(join(left, file)), readFileSync(join(right, file)), file);
}

test('init writes a client that runs as it is, and never over a file', (t) => {
  const cwd = folderWithScenario(t);
  const made = storm(cwd, 'init');
  assert.deepEqual(
    [made.code, made.stdout],
    [0, 'wrote my-client.mjs\ntry it: storm run storm-night --client ./my-client.mjs\n'],
  );
  const text = readFileSync(join(cwd, 'my-client.mjs'), 'utf8');
  const again = storm(cwd, 'init');
  assert.equal(again.code, EXIT_CODES.badInput.code);
  assert.match(
    again.stderr,
    /^command line: \[file\]: got "my-client\.mjs"; allowed: a file that does not exist.*EEXIST/,
  );
  assert.equal(readFileSync(join(cwd, 'my-client.mjs'), 'utf8'), text);
  assert.match(storm(cwd, 'init', 'no/folder/x.mjs').stderr, /allowed: .* in a folder that does \(ENOENT\)/);
  for (const out of ['one', 'two']) {
    const ran = storm(cwd, 'run', 'small.yaml', '--client', './my-client.mjs', '--out', out);
    assert.equal(ran.code, 0, ran.stderr);
    assert.match(ran.stdout, /my-client: items ended as done 40; an item takes [0-9.]+ ms, 99 %: [0-9,.]+ ms/);
  }
  assertSameBytes(join(cwd, 'one'), join(cwd, 'two'));
  assert.equal(storm(cwd, 'verify', 'one').code, 0);
  const story = storm(cwd, 'explain', 'one', '--item', '3');
  assert.match(story.stdout, /item 3 of storm-night, client my-client[\s\S]*done: [0-9]+ calls/, story.stderr);
});

test('a client beside a strategy: same platform, one table, one summary', (t) => {
  const cwd = folderWithScenario(t);
  storm(cwd, 'init', 'other.mjs');
  const args = [
    '--client',
    'other.mjs',
    '--strategy',
    'guarded',
    '--method',
    'POST',
    '--concurrency',
    '3',
    '--nights',
    '3',
  ];
  const ran = storm(cwd, 'run', 'small.yaml', ...args, '--out', 'r', '--json');
  assert.equal(ran.code, 0, ran.stderr);
  const [guarded, other] = JSON.parse(ran.stdout).strategies;
  assert.deepEqual(
    [guarded.strategy, guarded.endings, other.strategy, other.endings.done],
    ['guarded', undefined, 'other', 40],
  );
  assert.deepEqual(Object.keys(other.over_all_nights), Object.keys(guarded.over_all_nights));
  const manifest = JSON.parse(readFileSync(join(cwd, 'r', MANIFEST), 'utf8'));
  assert.deepEqual(manifest.strategies, ['guarded', 'other']);
  const [{ sha256, ...facts }] = manifest.clients;
  assert.deepEqual(facts, { name: 'other', path: 'other.mjs', method: 'POST', concurrency: 3, max_calls: 200_000 });
  assert.match(sha256, /^[0-9a-f]{64}$/);
  const files = ['billing-by-minute.csv', 'client-by-minute.csv', 'items.csv', 'latency.hgrm', 'latency.hlog'];
  const ledger = ['ledger-by-class.csv', 'ledger-by-minute.csv', 'requests.csv'];
  assert.deepEqual(readdirSync(join(cwd, 'r', 'other')).sort(), [...files, ...ledger]);
  assert.equal(storm(cwd, 'verify', 'r').code, 0);
  const [, ...again] = manifest.command.split(' ');
  assert.equal(
    storm(cwd, ...again.map((word: string) => word.replace('scenario.yaml', 'small.yaml')), '--out', 's').code,
    0,
  );
  assertSameBytes(join(cwd, 'r'), join(cwd, 's'));
});

test('a whole task that gives up is told, and its books are written', (t) => {
  const cwd = folderWithScenario(t);
  const ran = storm(cwd, 'run', 'small.yaml', '--client', testdata('whole-task.mjs'), '--out', 'r');
  assert.deepEqual([ran.code, ran.stderr], [0, 'whole-task: its task ended with Error: had enough\n']);
  assert.equal(storm(cwd, 'verify', 'r').code, 0);
});

test('a driven program: its output apart, its books whole, and its command makes them again', (t) => {
  const cwd = folderWithScenario(t);
  const ran = storm(cwd, ...DRIVE, '--seed', '5', '--name', 'nightly', '--out', 'r', ...job('fetch', '40'));
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(
    ran.stdout,
    /storm-night.* {2}seed 5, simulated time over HTTP[\s\S]*books balance[\s\S]*nightly[\s\S]*results: r/,
  );
  assert.match(ran.stdout, /items ended as success [0-9]+/);
  assert.equal(storm(cwd, 'verify', 'r').code, 0);
  assert.match(storm(cwd, 'explain', 'r', '--item', '40').stdout, /item 40 of storm-night, client nightly/);
  assert.match(storm(cwd, 'explain', 'r', '--item', '4000').stdout, /never asked for/);
  const { command, driven } = JSON.parse(readFileSync(join(cwd, 'r', MANIFEST), 'utf8'));
  assert.equal(driven, true);
  const [, verb = '', ...rest] = command.split(' ');
  assert.equal(storm(join(cwd, 'r'), verb, '--out', '../again', ...rest).code, 0);
  assertSameBytes(join(cwd, 'r'), join(cwd, 'again'));
});

test('what a driven program prints goes to stderr, its arguments arrive, and only the address is added to its environment', (t) => {
  const cwd = folderWithScenario(t);
  const args = ['two words', "it's", '--flag', '7'];
  const ran = storm(cwd, ...DRIVE, '--url-variable', 'API', '--out', 'r', ...job('tells its environment', ...args));
  assert.equal(ran.code, 0, ran.stderr);
  assert.equal(ran.stderr, `${JSON.stringify([[], ['tells its environment', ...args]])}\n`);
  const { command } = JSON.parse(readFileSync(join(cwd, 'r', MANIFEST), 'utf8'));
  assert.match(command, / 'tells its environment' 'two words' 'it'\\''s' --flag 7$/);
  assert.equal(storm(cwd, 'verify', 'r').code, 0);
});

test('a program that fails has not passed: its exit code is told, its books are written', (t) => {
  const cwd = folderWithScenario(t);
  const ran = storm(cwd, ...DRIVE, '--out', 'r', ...job('exits in the middle'));
  assert.equal(ran.code, EXIT_CODES.checkFailed.code, ran.stderr);
  assert.match(ran.stderr, /^the program ended with 3; the books are of what it did$/m);
  assert.equal(storm(cwd, 'verify', 'r').code, 0);
});

test('a program without an end is cut at the limit of the scenario, which is no failure either', (t) => {
  const cwd = folderWithScenario(t);
  writeFileSync(join(cwd, 'small.yaml'), changedPreset('storm-night', { 'limits.scenario_time_s': 60 }));
  const ran = storm(cwd, ...DRIVE, '--out', 'r', ...job('never ends'));
  assert.equal(ran.code, 0, ran.stderr);
  assert.match(ran.stdout, /time_limit/);
  assert.equal(storm(cwd, 'verify', 'r').code, 0);
});

const BROKEN = `${testdata('broken-clients.mjs')}`;
const RUN = ['run', 'small.yaml', '--client'];

/** Files of a folder in which each of these is a mistake. */
const FILES: Readonly<Record<string, string>> = {
  'guarded.mjs': 'export default async () => {};',
  'a/x.mjs': 'export default async () => {};',
  'b/x.js': 'export default async () => {};',
  'My Client.mjs': '',
  'client.ts': '',
  'none.mjs': 'export const task = 5;',
  'throws.mjs': 'throw new Error("no database");',
};

const MISTAKES: readonly (readonly [args: readonly string[], says: RegExp])[] = [
  [[...RUN, 'missing.mjs'], /--client: got "missing\.mjs"; allowed: a JavaScript file \(storm init writes one\)/],
  [[...RUN, 'a'], /--client: got "a"; allowed: a JavaScript file/],
  [[...RUN, 'client.ts'], /--client: got "client\.ts"; allowed: a \.mjs, \.js or \.cjs file/],
  [[...RUN, 'My Client.mjs'], /--client: got "My Client\.mjs"; allowed: .*letters, digits and hyphens/],
  [[...RUN, 'guarded.mjs'], /--client: got "guarded\.mjs"; allowed: a file with another name than guarded/],
  [[...RUN, 'a/x.mjs', '--client', 'b/x.js'], /--client: got "b\/x\.js"; allowed: a file with another name than x/],
  [[...RUN, 'none.mjs'], /^client none: exports no function; allowed: a module with a default function/],
  [[...RUN, 'throws.mjs'], /^client throws: can not be loaded: Error: no database; allowed: a module that node loads/],
  [[...RUN, BROKEN], /^client broken-clients: exports no function/],
  [[...RUN, 'a/x.mjs', '--concurrency', '0'], /--concurrency: got 0; allowed/],
  [[...RUN, 'a/x.mjs', '--method', 'PATCH'], /PATCH.*"GET", "POST"/],
  [DRIVE, /--: got ""; allowed: a program and its arguments: storm drive -- node my-job\.mjs/],
  [[...DRIVE, '--name', 'My Job', ...job('fetch')], /--name: got "My Job"; allowed/],
  [[...DRIVE, '--url-variable', 'A-B', ...job('fetch')], /--url-variable: got "A-B"; allowed/],
  [
    [...DRIVE, '--host', 'http://a.example', ...job('fetch')],
    /--host: got "http:\/\/a\.example"; allowed: a name, or name:port/,
  ],
  [
    [...DRIVE, '--', './no-such-program'],
    /--: got "\.\/no-such-program"; allowed: a program that can be started \(ENOENT\)/,
  ],
  [[...DRIVE, '--', 'true'], /--: got "true"; allowed: a Node program, started by node itself/],
  [[...DRIVE, '--real-seconds', '0', ...job('fetch')], /--real-seconds: got 0; allowed/],
];

test('every mistake is one line, code 2, and leaves the folder as it was', (t) => {
  const cwd = folderWithScenario(t);
  for (const folder of ['a', 'b']) mkdirSync(join(cwd, folder));
  for (const [name, text] of Object.entries(FILES)) writeFileSync(join(cwd, name), text);
  const before = filesBelow(cwd);
  for (const [args, says] of MISTAKES) {
    const ran = storm(cwd, ...args);
    const command = `storm ${args.join(' ')}`;
    assert.equal(ran.code, EXIT_CODES.badInput.code, `${command}: ${ran.stderr}`);
    assert.match(ran.stderr.trimEnd(), says, command);
    assert.equal(ran.stderr.trimEnd().split('\n').length, 1, `${command}: ${ran.stderr}`);
    assert.equal(ran.stdout, '', command);
  }
  assert.deepEqual(filesBelow(cwd), before);
});

test('what can not be simulated ends with 5 and its name, and writes nothing', (t) => {
  const cwd = folderWithScenario(t);
  writeFileSync(join(cwd, 'waits.mjs'), 'export default () => new Promise(() => {});');
  writeFileSync(join(cwd, 'calls.mjs'), 'export default () => fetch("http://other.example/").catch(() => {});');
  const before = filesBelow(cwd);
  const faults: readonly (readonly [args: readonly string[], says: RegExp])[] = [
    [[...RUN, 'waits.mjs'], /^the night can not be simulated: stalled: nothing is due at 5145 ms/],
    [
      [...RUN, 'calls.mjs'],
      /^the night can not be simulated: socket_elsewhere: the client connects to other\.example:80/,
    ],
    [
      [...DRIVE, '--real-seconds', '2', ...job('endless loop')],
      /: unresponsive: the program did not end in 2 s of real time/,
    ],
  ];
  for (const [args, says] of faults) {
    const ran = storm(cwd, ...args);
    assert.equal(ran.code, EXIT_CODES.notSimulated.code, ran.stderr);
    assert.match(ran.stderr, says);
    assert.equal(ran.stdout, '');
  }
  assert.deepEqual(filesBelow(cwd), before);
});
