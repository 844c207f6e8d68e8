// Whole nights on real time, at a speed at which no machine keeps it well: the books balance all the same. No test waits for a
// time to pass or says how long something takes.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { discrepancies } from '../books/reconcile.ts';
import { WallClock } from '../clocks/wall-clock.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { smallStorm, temporaryFolder } from '../testing.ts';
import type { PairSpec, Role } from './thread-pair.ts';
import { WallFault } from './wall-fault.ts';
import { type WallNight, WallRun } from './wall-run.ts';

type Test = { after(done: () => void): void };

function specs(t: Test, scenario: Scenario, speed = 200): PairSpec[] {
  const folder = temporaryFolder(t);
  return Object.keys(scenario.strategies).map((strategy) => ({
    ...{ scenario, strategy, seed: 1, speed, folder: join(folder, strategy) },
  }));
}

function balances({ night, unmatched }: WallNight): void {
  assert.deepEqual(discrepancies(night), [], night.strategy);
  assert.equal(unmatched, 0, night.strategy);
}

test('naive and guarded side by side: two platforms, two books each that balance, and files like those of any night', async (t) => {
  const all = specs(t, smallStorm({ 'task.items': 80, 'platform.gates.2.calls': 200 }));
  const nights = await new WallRun(all).run();
  assert.deepEqual(
    nights.map(({ night: { strategy, clock, speed, stopReason } }) => [strategy, clock, speed, stopReason]),
    [
      ['naive', 'wall', 200, 'done'],
      ['guarded', 'wall', 200, 'done'],
    ],
  );
  for (const each of nights) balances(each);
  // Chance is keyed by item and count, so that the guarded client, which no limit meets at another time, asks as often.
  assert.ok((nights[1]?.night.items.done ?? 0) > 70);
  assert.deepEqual(readdirSync(all[0]?.folder ?? '').sort(), [
    ...['audit.jsonl', 'decisions.jsonl', 'latency.hgrm', 'latency.hlog', 'requests.csv'],
  ]);
});

test('a client that gives up just when replies come: what crosses is told apart, and nothing is off', async (t) => {
  const deadline = { policy: 'deadline', budget_ms: 3000, attempt_ms: 230 };
  const strategies = { impatient: { extends: 'exponential', with: [deadline] } };
  const scenario = smallStorm({ fitted: [], strategies, 'task.items': 150 });
  const all = specs(t, scenario, 100);
  const [each] = await new WallRun(all).run();
  assert.ok(each);
  balances(each);
  const requests = readFileSync(join(all[0]?.folder ?? '', 'requests.csv'), 'utf8');
  assert.match(requests, /,no_reply,/);
});

/** Drives a run until its clients have sent something, then does what is given. */
async function whenUnderWay(run: WallRun, act: () => void): Promise<void> {
  const clock = new WallClock();
  while (run.look().some(({ figures }) => figures.attempts < 20)) await clock.sleep(5);
  act();
}

test('a run that is drained has whole books of a part of the night', async (t) => {
  const all = specs(t, smallStorm({ 'task.items': 9000, 'platform.gates.2.calls': 20_000 }), 20);
  const run = new WallRun(all);
  assert.equal(run.drain(), false, 'nothing to drain yet');
  const [nights] = await Promise.all([run.run(), whenUnderWay(run, () => assert.equal(run.drain(), true))]);
  for (const each of nights) {
    balances(each);
    assert.deepEqual([each.partial, each.night.stopReason], [true, 'cancelled']);
    const { total, done, abandoned, unfinished } = each.night.items;
    assert.equal(done + abandoned + unfinished, total);
    assert.ok(unfinished > 0);
  }
});

for (const role of ['client', 'platform'] as const satisfies readonly Role[]) {
  test(`a ${role} thread that dies fails the run and says what is missing`, async (t) => {
    const run = new WallRun(specs(t, smallStorm({ 'task.items': 9000 }), 20));
    const failed = assert.rejects(run.run(), (error: unknown) => {
      assert.ok(error instanceof WallFault, String(error));
      assert.match(
        error.message,
        /^the (client|platform) thread failed: .+; guarded, seed 1: [0-9]+ of 9000 items are unaccounted for$/,
      );
      assert.equal(error.message.split('\n').length, 1);
      return true;
    });
    await whenUnderWay(run, () => void run.kill(1, role));
    await failed;
  });
}

test('what a thread fails of is told in one line, with what is missing', async (t) => {
  const scenario = smallStorm();
  const [spec] = specs(t, { ...scenario, strategies: { guarded: scenario.strategies.guarded as never } });
  assert.ok(spec);
  const run = new WallRun([{ ...spec, strategy: 'unknown' }]);
  await assert.rejects(
    run.run(),
    /client thread failed: scenario storm-night has no strategy unknown; unknown, seed 1/,
  );
});

test('a night that passes the scenario’s limit is a mistake in the scenario', async (t) => {
  const all = specs(t, smallStorm({ 'limits.scenario_time_s': 7 }));
  await assert.rejects(new WallRun(all).run(), /^Error: scenario time limit: /);
});
