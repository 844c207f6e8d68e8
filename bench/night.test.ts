// A night is the same on both clocks, its books balance, its budget is exact, and a bare event loop agrees with the client.

import assert from 'node:assert/strict';
import test from 'node:test';
import { nightFiles } from './books/night-files.ts';
import { discrepancies } from './books/reconcile.ts';
import { platformTotals } from './books/summary.ts';
import { CLOCKS, runNight } from './night.ts';
import { loadScenario, presetNames } from './scenario/load.ts';
import { smallStorm } from './testing.ts';
import { bareNaiveNight } from './yardstick/bare-naive-night.ts';

const SEEDS = Array.from({ length: 20 }, (_, index) => index + 1);

for (const strategy of ['naive', 'guarded']) {
  test(`${strategy}: 20 seeds have the same books, byte for byte, in process and over HTTP`, async () => {
    const scenario = smallStorm({ 'task.items': 400, 'platform.gates.2.calls': 900 });
    for (const seed of SEEDS) {
      const [virtual, lockstep] = await Promise.all(
        CLOCKS.map((clock) => runNight({ scenario, strategy, seed, clock })),
      );
      assert.ok(virtual && lockstep);
      assert.deepEqual(nightFiles(lockstep), nightFiles(virtual), `seed ${seed}`);
      assert.equal(lockstep.endedMs, virtual.endedMs, `seed ${seed}`);
      assert.deepEqual(discrepancies(virtual), [], `seed ${seed}`);
    }
  });
}

test('another seed is another night', async () => {
  const scenario = smallStorm();
  const [one, two] = await Promise.all(
    [1, 2].map((seed) => runNight({ scenario, strategy: 'naive', seed, clock: 'virtual' })),
  );
  assert.ok(one && two);
  assert.notDeepEqual(nightFiles(one), nightFiles(two));
});

for (const name of presetNames()) {
  test(`preset ${name}: the books of every strategy balance, and every item has an end`, async () => {
    const { scenario } = loadScenario(name);
    for (const strategy of Object.keys(scenario.strategies)) {
      const night = await runNight({ scenario, strategy, seed: 3, clock: 'virtual' });
      assert.deepEqual(discrepancies(night), []);
      assert.equal(night.items.done + night.items.abandoned + night.items.unfinished, scenario.task.items);
      if (night.stopReason === 'done') assert.equal(night.items.unfinished, 0);
    }
  });
}

for (const clock of CLOCKS) {
  test(`${clock}: a budget of 300 means 300 calls sent, for any concurrency`, async () => {
    for (const concurrency of [1, 2, 7, 8, 50]) {
      for (const hold of [true, false]) {
        const scenario = smallStorm({
          fitted: [],
          'strategies.guarded': {
            scheduler: { concurrency, hold_slot_while_waiting: hold },
            set: { call_budget: { calls: 300 } },
          },
        });
        const night = await runNight({ scenario, strategy: 'guarded', seed: 4, clock });
        assert.equal(platformTotals(night).total, 300, `concurrency ${concurrency}`);
        assert.equal(night.stopReason, 'budget_exceeded');
      }
    }
  });
}

test('the published budget of 9,000 is 9,000 calls', async () => {
  const { scenario } = loadScenario('storm-night-budget-9000');
  const night = await runNight({ scenario, strategy: 'guarded', seed: 1, clock: 'virtual' });
  assert.equal(platformTotals(night).total, 9000);
  assert.equal(night.stopReason, 'budget_exceeded');
});

test('guarded stops at the first word of the quota; naive does not', async () => {
  const scenario = smallStorm({ 'platform.gates.2.calls': 500 });
  const guarded = await runNight({ scenario, strategy: 'guarded', seed: 1, clock: 'virtual' });
  assert.equal(guarded.stopReason, 'quota_exhausted');
  assert.ok(platformTotals(guarded).quota <= 8, 'at most the attempts that were under way');
  const naive = await runNight({ scenario, strategy: 'naive', seed: 1, clock: 'virtual' });
  assert.ok(platformTotals(naive).quota > 1000);
});

test('the breaker stays closed in the storm and opens in the outage', async () => {
  const opened = async (preset: string) => {
    const { scenario } = loadScenario(preset);
    const night = await runNight({ scenario, strategy: 'guarded', seed: 2, clock: 'virtual' });
    return night.client.waits.circuit_open?.count ?? 0;
  };
  assert.equal(await opened('storm-night'), 0);
  assert.ok((await opened('outage')) > 0);
});

test('a bare event loop without promises has the same night', async () => {
  const { scenario } = loadScenario('storm-night');
  const night = await runNight({ scenario, strategy: 'naive', seed: 5, clock: 'virtual' });
  const { task } = scenario;
  const settings = {
    items: task.items,
    startMs: task.clientStartMs,
    prepMs: task.prepMs,
    concurrency: 12,
    batchSize: 50,
    attempts: 2,
    maxPasses: 4,
    pauseAfterPassMs: 100,
  };
  const bare = bareNaiveNight(scenario.profile, settings, 5);
  assert.deepEqual(bare.rows, night.platform.minutes);
  assert.deepEqual(bare.clientRows, night.client.minutes);
  assert.equal(bare.tally.earlyRetries, night.earlyRetries);
  assert.deepEqual({ begun: bare.tally.operations, ...bare.tally.outcomes }, night.operations);
  assert.equal(bare.itemsDone, night.items.done);
  assert.equal(bare.endMs, night.endedMs);
});

test('a night that would not end is ended by its limit', async () => {
  const scenario = smallStorm({ 'limits.scenario_time_s': 10 });
  await assert.rejects(
    runNight({ scenario, strategy: 'naive', seed: 1, clock: 'virtual' }),
    /past the limit of 10000 ms/,
  );
  await assert.rejects(
    runNight({ scenario, strategy: 'naive', seed: 1, clock: 'lockstep' }),
    /past the limit of 10000 ms/,
  );
});
