// Holds that every key is counted by itself: small ones, negative ones, and those at the seams of the two stores.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { SeenCounter } from './seen-counter.ts';

fc.configureGlobal({ seed: 20261016 });

const DENSE_END = 2 ** 20;

test('counts from 0, each key by itself', () => {
  const seen = new SeenCounter();
  assert.deepEqual([seen.next(5), seen.next(5), seen.next(6), seen.next(5), seen.next(6)], [0, 1, 0, 2, 1]);
});

test('keys at the seams do not meet', () => {
  const keys = [0, 1023, 1024, 2047, 2048, DENSE_END - 1, DENSE_END, DENSE_END + 1, 999_999_999, 2 ** 32, -1, -1024];
  const seen = new SeenCounter();
  for (let round = 0; round < 3; round++) {
    for (const key of [...keys, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, -(2 ** 31)]) {
      assert.equal(seen.next(key), round, `key ${key}`);
    }
  }
});

test('growing keeps the counts of all smaller keys', () => {
  const seen = new SeenCounter();
  for (let key = 0; key < 1024; key++) assert.equal(seen.next(key), 0);
  assert.equal(seen.next(700_000), 0);
  for (let key = 0; key < 1024; key++) assert.equal(seen.next(key), 1);
  assert.equal(seen.next(1024), 0);
  assert.equal(seen.next(700_000), 1);
});

test('counts like a map, whatever the keys', () => {
  const key = fc.oneof(
    fc.integer({ min: 0, max: 5 }),
    fc.integer({ min: -5, max: 5000 }),
    fc.integer({ min: DENSE_END - 3, max: DENSE_END + 3 }),
    fc.maxSafeInteger(),
  );
  fc.assert(
    fc.property(fc.array(key, { maxLength: 300 }), (keys) => {
      const seen = new SeenCounter();
      const model = new Map<number, number>();
      for (const each of keys) {
        const before = model.get(each) ?? 0;
        assert.equal(seen.next(each), before, `key ${each}`);
        model.set(each, before + 1);
      }
    }),
  );
});

test('a hostile item number allocates no array of its size', () => {
  const seen = new SeenCounter();
  const before = process.memoryUsage().arrayBuffers;
  for (const key of [DENSE_END, 2 ** 24, 999_999_999, -(2 ** 31)]) seen.next(key);
  assert.ok(process.memoryUsage().arrayBuffers - before < 2 ** 20);
});
