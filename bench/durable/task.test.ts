// `storm task` and `storm resume` as a user meets them: what a kill, an interrupt, a second process and a full disk leave behind.

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { EXIT_CODES } from '../cli/exit-codes.ts';
import { WallClock } from '../clocks/wall-clock.ts';
import { parseScenario } from '../scenario/load.ts';
import { SourceFile } from '../scenario/source-file.ts';
import { changedPreset, temporaryFolder } from '../testing.ts';
import type { Child } from './crash/child.ts';
import { readRecords } from './request-records.ts';
import { servePlatform } from './served-platform.ts';
import type { TaskReport } from './task-report.ts';
import { stormChild, stormChildUnder } from './testing.ts';

/** A platform in this process, and the arguments of a task against it, in a folder of their own. */
async function stage(t: TestContext, changes: Readonly<Record<string, unknown>> = {}, speed = 100) {
  let close = async () => {};
  t.after(() => close());
  const cwd = temporaryFolder(t);
  const text = changedPreset('calm', { 'task.items': 60, 'task.prep_ms': 0, ...changes });
  writeFileSync(join(cwd, 'calm.yaml'), text);
  const { scenario } = parseScenario(SourceFile.parse('calm.yaml', text));
  const records = join(cwd, 'records.jsonl');
  const served = await servePlatform({ scenario, seed: 1, speed, port: 0, records });
  close = served.close;
  const args = [
    'calm.yaml',
    '--target',
    served.origin,
    '--state',
    'state',
    '--speed',
    String(speed),
    '--sync',
    'normal',
  ];
  const task = (...more: readonly string[]) => stormChild(cwd, 'task', ...args, '--json', ...more);
  const requests = () => readRecords(records).records;
  return { cwd, task, requests, origin: served.origin, resume: () => stormChild(cwd, 'resume', 'state', '--json') };
}

async function until(child: Child, holds: () => boolean): Promise<void> {
  const clock = new WallClock();
  while (!holds()) {
    if (child.over) throw new Error(`it ended first: ${JSON.stringify(await child.ended)}`);
    await clock.sleep(2);
  }
}

async function reportOf(child: Child, code: number): Promise<TaskReport> {
  const ended = await child.ended;
  assert.equal(ended.code, code, ended.stderr);
  return JSON.parse(ended.stdout) as TaskReport;
}

test('killed and resumed: every item is asked for, those that are done only once, and each call has one number', async (t) => {
  const { task, requests, resume, cwd } = await stage(t, {}, 20);
  const first = task('--audit', 'audit.jsonl');
  await until(first, () => requests().length >= 20);
  await first.kill();
  const before = requests().length;
  const report = await reportOf(resume(), EXIT_CODES.ok.code);
  assert.deepEqual([report.items.done, report.items.unfinished, report.lives], [60, 0, { begun: 2, killed: 1 }]);
  assert.ok(report.interrupted.length <= 8);
  assert.equal(report.calls.reserved, report.calls.results + report.interrupted.length);
  const again = requests().length - 60;
  assert.ok(again <= report.interrupted.length, `${again} items asked for twice`);
  assert.ok(requests().length > before);
  assert.equal(new Set(requests().map(({ ordinal }) => ordinal)).size, requests().length);
  const audit = readFileSync(join(cwd, 'audit.jsonl'), 'utf8').trimEnd().split('\n');
  assert.equal(audit.length, report.calls.reserved);
  assert.equal(audit.filter((text) => text.includes('"interrupted":true')).length, report.interrupted.length);
});

test('a task that is done asks for nothing again, whichever command it is', async (t) => {
  const { task, requests, resume } = await stage(t);
  await reportOf(task(), EXIT_CODES.ok.code);
  const asked = requests().length;
  // One after the other: a state file is held by one process at a time.
  for (const again of [task, resume]) assert.equal((await reportOf(again(), EXIT_CODES.ok.code)).items.done, 60);
  assert.equal(requests().length, asked);
});

test('an interrupt drains: 130, no call without a result, and resume goes on', async (t) => {
  const { task, requests, resume } = await stage(t, {}, 10);
  const child = task();
  await until(child, () => requests().length >= 10);
  child.signal('SIGINT');
  const report = await reportOf(child, EXIT_CODES.interrupted.code);
  assert.match((await child.ended).stderr, /partial: \d+ items unfinished; storm resume state goes on/);
  assert.deepEqual([report.ended, report.interrupted], ['cancelled', []]);
  assert.ok(report.items.done > 0 && report.items.unfinished > 0);
  const whole = await reportOf(resume(), EXIT_CODES.ok.code);
  assert.deepEqual([whole.items.done, whole.calls.reserved], [60, 60]);
});

test('a second interrupt ends at once', async (t) => {
  const { task, requests } = await stage(t, { 'platform.latency_ms': [500_000, 500_000] }, 10);
  const child = task();
  await until(child, () => requests().length > 0);
  child.signal('SIGTERM');
  await until(child, () => child.said.stderr.includes('once more to end at once'));
  child.signal('SIGTERM');
  assert.equal((await child.ended).code, EXIT_CODES.interrupted.code);
});

test('case A27: a holder that stands still is not taken over, and a dead one leaves no lock', async (t) => {
  const { task, requests, resume } = await stage(t, {}, 10);
  const holder = task();
  await until(holder, () => requests().length > 0);
  holder.signal('SIGSTOP');
  const second = await resume().ended;
  assert.equal(second.code, EXIT_CODES.badInput.code);
  assert.equal(
    second.stderr.trim(),
    'state: state file: is in use by another process; allowed: one process a state file',
  );
  await holder.kill();
  assert.equal((await reportOf(resume(), EXIT_CODES.ok.code)).items.done, 60);
});

test('the budget holds over all lives: code 4, and the last call of it is the last', async (t) => {
  const { task, requests, resume } = await stage(t, { 'platform.gates.3.rate': 0.5 });
  const report = await reportOf(task('--calls', '40'), EXIT_CODES.checkFailed.code);
  assert.deepEqual([report.calls.reserved, report.calls.left, report.ended], [40, 0, 'budget_exceeded']);
  assert.equal((await reportOf(resume(), EXIT_CODES.checkFailed.code)).calls.reserved, 40);
  assert.equal(requests().length, 40);
});

test('no room for the state: one line, no call unreserved, and it goes on when there is room', async (t) => {
  const { cwd, requests, resume, origin } = await stage(t, { 'task.items': 3000 });
  const args = ['calm.yaml', '--target', origin, '--state', 'state', '--speed', '100', '--sync', 'normal'];
  // A limit on the size of files stands for a full disk.
  const child = stormChildUnder('ulimit -f 1500', cwd, 'task', ...args);
  const { code, stderr } = await child.ended;
  assert.equal(code, EXIT_CODES.failure.code, stderr);
  assert.match(
    stderr,
    /^state: state file: (the disk is full|reading or writing failed).*storm resume state goes on\n$/,
  );
  const sent = requests().length;
  assert.ok(sent > 100 && sent < 3000, `${sent} requests`);
  const report = await reportOf(resume(), EXIT_CODES.ok.code);
  assert.equal(report.items.done, 3000);
  assert.ok(requests().length <= report.calls.reserved);
});

const MISTAKES: readonly (readonly [readonly string[], RegExp])[] = [
  [
    ['task', '--target', 'http://127.0.0.1:1/', '--state', 'begun', '--items', '8'],
    /task items: got 8; allowed: 7, as this state was begun with/,
  ],
  [
    ['task', '--target', 'http://127.0.0.1:1/', '--state', 'begun', '--items', '7', '--seed', '2'],
    /task seed: got 2; allowed: 1/,
  ],
  [
    ['task', '--target', 'http://127.0.0.1:1/', '--state', 'new', '--strategy', 'naive'],
    /--strategy: got "naive"; allowed: .*guarded/,
  ],
  [['task', '--target', 'http://127.0.0.1:1/x', '--state', 'new'], /--target: got ".*\/x"; allowed: .*\{item\}/],
  [
    ['task', '--target', 'http://192.0.2.1/', '--state', 'new'],
    /--target: got "192\.0\.2\.1"; allowed: a loopback host/,
  ],
  [['task', '--target', 'http://127.0.0.1:1/', '--state', 'text'], /^text: state file: is no state file/],
  [['task', '--target', 'http://127.0.0.1:1/', '--state', 'none/state'], /can not be opened/],
  [['task', '--target', 'http://127.0.0.1:1/'], /state/],
  [['resume', 'text'], /^text: state file: is no state file/],
  [['resume', 'nowhere'], /<results>: got "nowhere"; allowed: a state file/],
];

test('every mistake is one line and code 2, and no state is begun by it', async (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, 'text'), 'items: 9000\n'.repeat(100));
  const unreachable = ['--target', 'http://127.0.0.1:1/', '--speed', '1000', '--calls', '1', '--items', '7'];
  assert.equal(
    (await stormChild(cwd, 'task', ...unreachable, '--state', 'begun').ended).code,
    EXIT_CODES.checkFailed.code,
  );
  const mistake = async ([args, says]: (typeof MISTAKES)[number]) => {
    const more = args[4] === 'begun' ? ['--calls', '1'] : [];
    const { code, stderr, stdout } = await stormChild(cwd, ...args, ...more).ended;
    assert.equal(code, EXIT_CODES.badInput.code, `${args.join(' ')}: ${stderr}`);
    assert.match(stderr.trimEnd(), says);
    assert.equal(stderr.trimEnd().split('\n').length, 1, stderr);
    assert.equal(stdout, '');
  };
  // One after the other: several name the same state, which is held by one process at a time.
  for (const each of MISTAKES) await mistake(each);
  assert.ok(!existsSync(join(cwd, 'new')));
});
