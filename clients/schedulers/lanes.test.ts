// Holds that a pass calls its work once an item, in order, on so many lanes and no more, and always comes to an end.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { Lanes } from './lanes.ts';

const ALWAYS = () => true;
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, index) => first + index);

/** Work that takes a few turns of the microtask queue, and what was seen of it. */
function work(turns: (item: number) => number = () => 3) {
  const seen = { started: [] as number[], inFlight: 0, maxInFlight: 0 };
  const run = async (item: number) => {
    seen.started.push(item);
    seen.maxInFlight = Math.max(seen.maxInFlight, ++seen.inFlight);
    for (let turn = turns(item); turn > 0; turn--) await undefined;
    seen.inFlight--;
  };
  return { seen, run };
}

test('every item once, in order, never more at once than there are lanes', async () => {
  for (const [lanes, items, expected] of [
    [1, 10, 1],
    [3, 10, 3],
    [10, 10, 10],
    [12, 5, 5],
    [1000, 2, 2],
  ] as const) {
    const { seen, run } = work();
    const limiter = new Lanes(lanes);
    await limiter.pass(1, items, ALWAYS, run);
    limiter.close();
    assert.deepEqual(seen.started, range(1, items));
    assert.equal(seen.maxInFlight, expected, `${lanes} lanes, ${items} items`);
    assert.equal(seen.inFlight, 0, 'a pass ends when all its work has ended');
  }
});

test('a pass over no items ends, and so does the one after it', async () => {
  const { seen, run } = work();
  const limiter = new Lanes(4);
  await limiter.pass(1, 0, ALWAYS, run);
  await limiter.pass(7, 6, ALWAYS, run);
  assert.deepEqual(seen.started, []);
  await limiter.pass(7, 8, ALWAYS, run);
  assert.deepEqual(seen.started, [7, 8]);
  limiter.close();
});

test('lanes that are closed without a pass go home', () => {
  new Lanes(4).close();
});

test('several passes, of any sizes and any speed of work: all items of one before the first of the next', async () => {
  const passes = fc.array(fc.tuple(fc.integer({ min: 1, max: 50 }), fc.nat({ max: 12 })), { maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 9 }), passes, fc.nat({ max: 5 }), async (lanes, plan, pace) => {
      const { seen, run } = work((item) => (item * 7) % (pace + 1));
      const limiter = new Lanes(lanes);
      const expected: number[] = [];
      for (const [first, length] of plan) {
        await limiter.pass(first, first + length - 1, ALWAYS, run);
        expected.push(...range(first, first + length - 1));
        assert.deepEqual(seen.started, expected);
        assert.equal(seen.inFlight, 0);
      }
      limiter.close();
      assert.ok(seen.maxInFlight <= lanes);
    }),
    { numRuns: 200 },
  );
});

test('when it may not go on, what is under way ends and the rest stays untouched', async () => {
  const { seen, run } = work();
  const limiter = new Lanes(3);
  await limiter.pass(1, 100, () => seen.started.length < 10, run);
  assert.deepEqual(seen.started, range(1, 10));
  assert.equal(seen.inFlight, 0);
  await limiter.pass(1, 100, () => false, run);
  assert.equal(seen.started.length, 10);
  limiter.close();
});

test('work that throws makes its pass reject with the first error, at once or later', async () => {
  const broken = (item: number): Promise<void> => {
    if (item === 2) throw new Error('at once');
    return item === 4 ? Promise.reject(new Error('later')) : Promise.resolve();
  };
  await assert.rejects(new Lanes(1).pass(1, 3, ALWAYS, broken), /at once/);
  await assert.rejects(new Lanes(2).pass(4, 9, ALWAYS, broken), /later/);
  await assert.rejects(new Lanes(8).pass(1, 9, ALWAYS, broken), /at once/);
  const asking = () => {
    throw new Error('can not say');
  };
  await assert.rejects(new Lanes(2).pass(1, 3, asking, broken), /can not say/);
});

test('a lane that failed rests: it works in the next pass again', async () => {
  const limiter = new Lanes(1);
  await assert.rejects(limiter.pass(1, 3, ALWAYS, () => Promise.reject(new Error('broken'))));
  const { seen, run } = work();
  await limiter.pass(1, 3, ALWAYS, run);
  assert.deepEqual(seen.started, [1, 2, 3]);
  limiter.close();
});

test('a pass that failed rejects only when its other lanes are through, so the next one has them all', async () => {
  const limiter = new Lanes(2);
  let release: () => void = () => {};
  const slow = new Promise<void>((resolve) => {
    release = resolve;
  });
  const started: number[] = [];
  const failing = limiter.pass(1, 9, ALWAYS, (item) => {
    started.push(item);
    return item === 1 ? Promise.reject(new Error('broken')) : slow;
  });
  setImmediate(release);
  await assert.rejects(failing, /broken/);
  assert.deepEqual(started, [1, 2], 'nothing more is taken after the failure');
  const { seen, run } = work();
  await limiter.pass(1, 4, ALWAYS, run);
  assert.equal(seen.started.length, 4);
  limiter.close();
});
