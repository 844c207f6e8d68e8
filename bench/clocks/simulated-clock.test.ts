// What every client may rely on: order of events, quiescence between them, abort, bounds, and an end to every wait.

import assert from 'node:assert/strict';
import test from 'node:test';
import { MAX_DELAY_MS, SimulatedClock } from './simulated-clock.ts';

const clockOf = (limitMs = 1e9) => new SimulatedClock(1_000_000, limitMs);

test('sleeps end in the order of their times, ties in the order of asking, and time is exact', async () => {
  const clock = clockOf();
  const seen: string[] = [];
  await clock.run(async () => {
    const sleep = async (ms: number, name: string) => {
      await clock.sleep(ms);
      seen.push(`${name}@${clock.nowMs()}`);
    };
    await Promise.all([sleep(5, 'a'), sleep(3, 'b'), sleep(5, 'c'), sleep(0, 'd')]);
  });
  assert.deepEqual(seen, ['d@0', 'b@3', 'a@5', 'c@5']);
  assert.equal(clock.dateMs(), 1_000_005);
});

test('every promise reaction of an event finishes before the next event, however long the chain', async () => {
  const clock = clockOf();
  const seen: string[] = [];
  await clock.run(async () => {
    const chain = async () => {
      await clock.sleep(1);
      for (let hop = 0; hop < 500; hop++) await undefined;
      await new Promise<void>((resolve) => process.nextTick(resolve));
      seen.push(`chain@${clock.nowMs()}`);
    };
    const other = async () => {
      await clock.sleep(2);
      seen.push(`other@${clock.nowMs()}`);
    };
    await Promise.all([other(), chain()]);
  });
  assert.deepEqual(seen, ['chain@1', 'other@2']);
});

test('an aborted sleep ends at once, and one that ended leaves no listener behind', async () => {
  const clock = clockOf();
  const controller = new AbortController();
  let listeners = 0;
  const { signal } = controller;
  const add = signal.addEventListener.bind(signal);
  const remove = signal.removeEventListener.bind(signal);
  signal.addEventListener = (...args: Parameters<typeof add>) => {
    listeners++;
    add(...args);
  };
  signal.removeEventListener = (...args: Parameters<typeof remove>) => {
    listeners--;
    remove(...args);
  };
  await clock.run(async () => {
    await clock.sleep(10, signal);
    assert.equal(listeners, 0);
    const long = clock.sleep(1_000_000, signal);
    await clock.sleep(5);
    controller.abort();
    await long;
    assert.equal(clock.nowMs(), 15);
    await clock.sleep(50, signal);
    assert.equal(clock.nowMs(), 15);
  });
  assert.equal(listeners, 0);
});

test('a timer never gets NaN, Infinity, a negative number or more than 2^31-1', async () => {
  const clock = clockOf();
  for (const ms of [Number.NaN, Number.POSITIVE_INFINITY, -1, -0.5, MAX_DELAY_MS + 1]) {
    await assert.rejects(async () => clock.sleep(ms), RangeError, String(ms));
    await assert.rejects(async () => clock.sleep(ms, new AbortController().signal), RangeError, String(ms));
  }
  await clockOf(MAX_DELAY_MS).run(async () => {});
});

test('a client that waits for nothing that can come is told so, and a night has an end', async () => {
  await assert.rejects(
    clockOf().run(() => new Promise(() => {})),
    /no event left at 0 ms/,
  );
  const clock = clockOf(100);
  await assert.rejects(
    clock.run(() => clock.sleep(101)),
    /past the limit of 100 ms/,
  );
});

test('a hold stops time until it is released; one release too many is an error', async () => {
  const clock = clockOf();
  await clock.run(async () => {
    clock.hold();
    let over = false;
    const sleeping = clock.sleep(1).then(() => {
      over = true;
    });
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
    assert.equal(over, false);
    clock.release();
    await sleeping;
  });
  assert.throws(() => clock.release(), /more often/);
});

test('an error of the client comes out, and a clock can not be run twice at once', async () => {
  await assert.rejects(
    clockOf().run(async () => {
      throw new Error('the client broke');
    }),
    /the client broke/,
  );
  const clock = clockOf();
  await clock.run(async () => {
    await assert.rejects(
      clock.run(async () => {}),
      /running already/,
    );
  });
});
