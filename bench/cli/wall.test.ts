// `storm run --clock wall` as a user meets it: results that verify, progress in a pipe, interrupts, a suspended process. No test
// says how long anything takes.

import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { changedPreset, type Ended, ROOT, storm, temporaryFolder } from '../testing.ts';
import { verifyFolder } from '../verify/verify-folder.ts';
import { EXIT_CODES } from './exit-codes.ts';

const small = (changes: Readonly<Record<string, unknown>> = {}) =>
  changedPreset('storm-night', { 'task.items': 80, 'platform.gates.2.calls': 200, ...changes });

interface Running {
  readonly child: ChildProcess;
  /** Resolves when stderr has said this. */
  said(what: RegExp): Promise<void>;
  ended(): Promise<Ended>;
}

function start(cwd: string, ...args: readonly string[]): Running {
  const env = { ...process.env, NO_COLOR: '1' };
  const child = spawn(process.execPath, [join(ROOT, 'scripts/storm.mjs'), ...args], { cwd, env });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      texts[name] += text;
    });
  const exit = once(child, 'close');
  return {
    child,
    async said(what) {
      while (!what.test(texts.stderr))
        await Promise.race([once(child.stderr, 'data'), exit.then(() => assert.fail(texts.stderr))]);
    },
    async ended() {
      const [code] = (await exit) as [number | null];
      return { code, ...texts };
    },
  };
}

const ON_WALL = ['--clock', 'wall', '--speed', '20', '--band-nights', '0', '--out', 'r'] as const;
const json = (cwd: string, file: string) =>
  JSON.parse(readFileSync(join(cwd, 'r', file), 'utf8')) as Record<string, unknown>;
const SENDING = /guarded: .* [1-9][0-9]* calls/;

/** Well kept, or void because this machine is busy: in both cases the books are whole. */
async function wholeOrVoid(cwd: string, { code, stderr }: Ended): Promise<void> {
  const isVoid = json(cwd, 'summary.json').void === true;
  assert.equal(code, isVoid ? EXIT_CODES.checkFailed.code : EXIT_CODES.ok.code, stderr);
  assert.deepEqual((await verifyFolder(join(cwd, 'r'))).problems, []);
}

test('a run on real time has the files of any run, says how well it kept time, and verifies', async (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, 'small.yaml'), small());
  const args = ['--clock', 'wall', '--speed', '50', '--band-nights', '30', '--out', 'r', '--quiet'];
  const ran = storm(cwd, 'run', 'small.yaml', ...args);
  await wholeOrVoid(cwd, ran);
  assert.match(ran.stdout, /wall clock at speed 50/);
  assert.match(ran.stdout, /minute cells outside the band of 30 virtual nights/);
  const [, ...lines] = ran.stderr.trim().split('\n');
  assert.deepEqual(lines, [], 'quiet, but for how it ended');
  const { clock, speed, partial } = json(cwd, 'manifest.json');
  assert.deepEqual([clock, speed, partial], ['wall', 50, undefined]);
  assert.equal(
    json(cwd, 'manifest.json').command,
    'storm run scenario.yaml --strategy naive --strategy guarded --seed 1 --clock wall --speed 50 --band-nights 30 --nights 1',
  );
  const [naive] = json(cwd, 'summary.json').strategies as { real_time: object; faithfulness: { nights: number } }[];
  assert.equal(naive?.faithfulness.nights, 30);
  assert.deepEqual(Object.keys(naive?.real_time ?? {}), [
    ...['loop_delay_ms', 'timer_error_ms', 'overhead_ms', 'slip', 'warnings'],
  ]);
});

test('a night on real time is verified like any: a count changed is found', async (t) => {
  const cwd = temporaryFolder(t);
  writeFileSync(join(cwd, 'small.yaml'), small());
  storm(cwd, 'run', 'small.yaml', ...ON_WALL);
  const requests = join(cwd, 'r', 'naive', 'requests.csv');
  const text = readFileSync(requests, 'utf8');
  const columns = text.split('\n')[0]?.split(',') ?? [];
  for (const [column, says] of [
    ['arrival', /to arrive|calls_after_quota|quota_gone/],
    ['received_ms', /received_ms is before|audit/],
    ['sent_ms', /arrived_ms is before|client-by-minute|latency/],
    ['match', /is marked/],
  ] as const) {
    const at = columns.indexOf(column);
    const changed = text.split('\n').map((line, index) => {
      const cells = line.split(',');
      if (index === 5) cells[at] = column === 'match' ? 'crossed' : column === 'received_ms' ? '1' : '999999';
      return cells.join(',');
    });
    writeFileSync(requests, changed.join('\n'));
    const wrong = (await verifyFolder(join(cwd, 'r'))).problems.filter((problem) => !problem.includes('SHA-256'));
    assert.match(wrong.join('\n'), says, column);
  }
});

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} drains: partial results that say so and verify, code 130`, async (t) => {
    const cwd = temporaryFolder(t);
    const run = start(cwd, 'run', 'storm-night', ...ON_WALL, '--progress-every', '1');
    await run.said(SENDING);
    run.child.kill(signal);
    const ended = await run.ended();
    assert.equal(ended.code, EXIT_CODES.interrupted.code, ended.stderr);
    assert.match(ended.stderr, /interrupted: partial results in r$/m);
    for (const file of ['manifest.json', 'summary.json']) assert.equal(json(cwd, file).partial, true, file);
    const strategies = json(cwd, 'summary.json').strategies as { stop_reason: string; items: { unfinished: number } }[];
    for (const { stop_reason, items } of strategies) {
      assert.equal(stop_reason, 'cancelled');
      assert.ok(items.unfinished > 0);
    }
    assert.deepEqual((await verifyFolder(join(cwd, 'r'))).problems, []);
    assert.deepEqual(readdirSync(cwd), ['r'], 'no draft is left');
  });
}

test('a second interrupt ends at once and leaves nothing half-written', async (t) => {
  const cwd = temporaryFolder(t);
  // Replies that take minutes keep the drain waiting.
  const latency = { 'platform.latency_ms': [100_000, 100_000], 'platform.rejection_latency_ms': [100_000, 100_000] };
  writeFileSync(join(cwd, 'slow.yaml'), small({ ...latency, 'limits.scenario_time_s': 80_000 }));
  const args = ['--clock', 'wall', '--speed', '5', '--band-nights', '0', '--out', 'r', '--progress-every', '1'];
  const again = start(cwd, 'run', 'slow.yaml', ...args);
  await again.said(SENDING);
  again.child.kill('SIGINT');
  await again.said(/interrupted: nothing new is begun/);
  again.child.kill('SIGINT');
  assert.equal((await again.ended()).code, EXIT_CODES.interrupted.code);
  assert.deepEqual(readdirSync(cwd), ['slow.yaml']);
});

test('a suspended process goes on, ends its night, and its books balance', async (t) => {
  const cwd = temporaryFolder(t);
  const deadline = { policy: 'deadline', budget_ms: 4000, reserve_ms: 1000 };
  const strategies = { guarded: { extends: 'exponential', with: [deadline] } };
  writeFileSync(
    join(cwd, 'small.yaml'),
    small({ fitted: [], strategies, 'task.items': 600, 'platform.gates.2.calls': 2000 }),
  );
  const run = start(cwd, 'run', 'small.yaml', ...ON_WALL, '--progress-every', '1');
  await run.said(SENDING);
  run.child.kill('SIGSTOP');
  assert.equal(storm(cwd, '--version').code, 0, 'the machine goes on meanwhile');
  run.child.kill('SIGCONT');
  await wholeOrVoid(cwd, await run.ended());
});

test('what makes no sense on real time, or only there, is a mistake in one line', (t) => {
  const cwd = temporaryFolder(t);
  for (const [args, says] of [
    [['--speed', '5'], /--speed: got 5; allowed: with --clock wall/],
    [['--band-nights', '5', '--clock', 'lockstep'], /--band-nights: got 5; allowed: with --clock wall/],
    [['--clock', 'wall', '--nights', '2'], /--nights: got 2; allowed: one night with --clock wall/],
    [['--clock', 'wall', '--check-determinism'], /--check-determinism: got true; allowed: --clock virtual or lockstep/],
    [['--clock', 'wall', '--speed', '0'], /--speed: got 0; allowed: a number from 0\.1 to 1000/],
  ] as const) {
    const ran = storm(cwd, 'run', 'storm-night', ...args);
    assert.equal(ran.code, EXIT_CODES.badInput.code, ran.stderr);
    assert.match(ran.stderr, says);
    assert.equal(ran.stderr.trimEnd().split('\n').length, 1);
  }
  assert.ok(!existsSync(join(cwd, 'results')));
});
