// A run of many nights that is killed or interrupted, and gone on with: its results are those of a run that never was, byte for byte.

import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, type TestContext } from 'node:test';
import { EXIT_CODES } from '../cli/exit-codes.ts';
import { WallClock } from '../clocks/wall-clock.ts';
import type { Child } from '../durable/crash/child.ts';
import { stormChild } from '../durable/testing.ts';
import { InputError } from '../input-error.ts';
import { filesBelow } from '../results-folder/manifest.ts';
import { changedPreset, SMALL, storm, temporaryFolder } from '../testing.ts';
import { takeUp } from './kept-run.ts';
import { JOURNAL, WRITER } from './night-journal.ts';

const NIGHTS = '120';

/** The results of the run when nothing happens to it; made once. */
const undisturbed = join(temporaryFolder({ after }), 'whole');
const SCENARIO = changedPreset('storm-night', { ...SMALL, 'task.items': 150 });
const args = (out: string) => ['run', 'small.yaml', '--nights', NIGHTS, '--workers', '2', '--out', out];

/** A folder with a small scenario and `whole`, its run when nothing happens. */
function stage(t: TestContext) {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, 'small.yaml'), SCENARIO);
  if (!existsSync(undisturbed)) assert.equal(storm(cwd, ...args(undisturbed)).code, 0);
  cpSync(undisturbed, join(cwd, 'whole'), { recursive: true });
  const drafts = () => readdirSync(cwd).filter((name) => name.startsWith('.r.draft-'));
  const journalOf = (draft: string) => readFileSync(join(cwd, draft, JOURNAL), 'utf8');
  const lines = () => {
    const [draft] = drafts();
    return draft === undefined || !existsSync(join(cwd, draft, JOURNAL)) ? 0 : journalOf(draft).split('\n').length - 1;
  };
  const start = () => stormChild(cwd, ...args('r'));
  return { cwd, drafts, lines, start };
}

async function until(child: Child, holds: () => boolean): Promise<void> {
  const clock = new WallClock();
  while (!holds()) {
    if (child.over) throw new Error(`it ended first: ${JSON.stringify(await child.ended)}`);
    await clock.sleep(2);
  }
}

function same(cwd: string, one: string, other: string): void {
  const files = filesBelow(join(cwd, one));
  assert.deepEqual(filesBelow(join(cwd, other)), files);
  for (const file of files)
    assert.deepEqual(readFileSync(join(cwd, other, file)), readFileSync(join(cwd, one, file)), file);
}

test('killed, whatever the length of its journal, and gone on with: the bytes of a run that never was', async (t) => {
  const { cwd, drafts, lines, start } = stage(t);
  const child = start();
  await until(child, () => lines() >= 30);
  await child.kill();
  assert.ok(!existsSync(join(cwd, 'r')));
  const [draft = ''] = drafts();
  const kept = readFileSync(join(cwd, draft, JOURNAL));
  cpSync(join(cwd, draft), join(cwd, 'copy'), { recursive: true });
  const heads = kept.indexOf(10) + 1;
  // A line torn in the middle, one without its end, and as it was left.
  for (const length of [heads + 300, kept.length - 1, kept.length]) {
    rmSync(join(cwd, 'r'), { recursive: true, force: true });
    cpSync(join(cwd, 'copy'), join(cwd, draft), { recursive: true });
    writeFileSync(join(cwd, draft, JOURNAL), kept.subarray(0, length));
    const ran = storm(cwd, 'resume', 'r');
    assert.equal(ran.code, 0, ran.stderr);
    assert.deepEqual(drafts(), []);
    same(cwd, 'whole', 'r');
  }
  assert.equal(storm(cwd, 'verify', 'r').code, 0);
});

test('interrupted: partial results that verify, code 130; gone on with, killed, and gone on with again', async (t) => {
  const { cwd, drafts, lines, start } = stage(t);
  const child = start();
  await until(child, () => lines() >= 20);
  child.signal('SIGTERM');
  const { code, stderr, stdout } = await child.ended;
  assert.equal(code, EXIT_CODES.interrupted.code, stderr);
  assert.match(stderr, /once more to end at once\n.*partial: storm resume r runs the nights that are missing/);
  assert.match(stdout, /or more of 120 nights a strategy/);
  const manifest = JSON.parse(readFileSync(join(cwd, 'r', 'manifest.json'), 'utf8'));
  assert.equal(manifest.partial, true);
  const verified = storm(cwd, 'verify', 'r');
  assert.equal(verified.code, 0, verified.stdout + verified.stderr);
  assert.deepEqual(drafts(), []);

  const again = stormChild(cwd, 'resume', 'r', '--workers', '1');
  const before = readFileSync(join(cwd, 'r', JOURNAL), 'utf8').split('\n').length;
  await until(again, () => lines() >= before + 5);
  await again.kill();
  assert.ok(!existsSync(join(cwd, 'r')) && drafts().length === 1);
  const last = storm(cwd, 'resume', 'r', '--json');
  assert.equal(last.code, 0, last.stderr);
  assert.equal(last.stdout, readFileSync(join(cwd, 'r', 'summary.json'), 'utf8'));
  same(cwd, 'whole', 'r');
});

test('a second interrupt ends at once, and what had ended is kept', async (t) => {
  const { cwd, drafts, lines } = stage(t);
  const child = stormChild(cwd, 'run', 'small.yaml', '--nights', '40', '--clock', 'lockstep', '--out', 'r');
  await until(child, () => lines() >= 2);
  child.signal('SIGINT');
  await until(child, () => child.said.stderr.includes('once more'));
  child.signal('SIGINT');
  assert.equal((await child.ended).code, EXIT_CODES.interrupted.code);
  assert.ok(existsSync(join(cwd, 'r')) || drafts().length === 1);
});

test('what can not be gone on with is one line, and stays as it is', async (t) => {
  const { cwd, drafts, lines, start } = stage(t);
  const child = start();
  await until(child, () => lines() >= 5);
  child.signal('SIGSTOP');
  const refused = (says: RegExp, name = 'r') => {
    const listed = readdirSync(cwd, { recursive: true }).sort();
    assert.throws(
      () => takeUp(join(cwd, name)),
      (error) => error instanceof InputError && says.test(error.message) && !error.message.includes('\n'),
      String(says),
    );
    assert.deepEqual(readdirSync(cwd, { recursive: true }).sort(), listed);
  };
  refused(/process \d+ is still at it/);
  await child.kill();
  refused(/<results>: got ".*whole"; allowed: partial results; these are whole/, 'whole');
  refused(/<results>: got ".*nowhere"; allowed: a state file, partial results, or the name of a run/, 'nowhere');
  const [draft = ''] = drafts();
  const journal = join(cwd, draft, JOURNAL);
  const text = readFileSync(journal, 'utf8');
  const changed = (from: RegExp, to: string, says: RegExp) => {
    writeFileSync(journal, text.replace(from, to));
    refused(says);
  };
  changed(/"version":"[^"]+"/, '"version":"0.0.1"', /got a run of storm 0\.0\.1 on Node .*; allowed: the same/);
  changed(/"scenario_hash":"[^"]+"/, '"scenario_hash":"0"', /is not the scenario of this run/);
  changed(/^.*\n/, '', /got no head/);
  changed(/\n\{/, '\n[', /journal\.jsonl:2: damaged/);
  writeFileSync(journal, text);
  cpSync(join(cwd, draft), join(cwd, '.r.draft-other'), { recursive: true });
  refused(/<results>: got ".*r"; allowed: one of .*\.r\.draft-/);
  mkdirSync(join(cwd, 'r'));
  refused(/allowed: a name that does not exist yet/, draft);
  rmSync(join(cwd, 'r'), { recursive: true });
  writeFileSync(join(cwd, draft, WRITER), String(2 ** 30));
  takeUp(join(cwd, draft)).journal.close();
});
