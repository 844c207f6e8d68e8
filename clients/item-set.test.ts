// Holds that the flat set of items answers as a set does, and refuses items that it has no place for.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { ItemSet } from './item-set.ts';

test('it answers as a set of numbers does, in ascending order', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 120, size: 'max' }), (items) => {
      const [flat, plain] = [new ItemSet(60), new Set<number>()];
      for (const item of items) {
        flat.add(item);
        plain.add(item);
        assert.equal(flat.size, plain.size);
      }
      assert.deepEqual(
        [...flat],
        [...plain].sort((a, b) => a - b),
      );
      for (let item = 1; item <= 60; item++) assert.equal(flat.has(item), plain.has(item));
    }),
  );
});

test('the first and the last item have a place, those beyond have none and change nothing', () => {
  const set = new ItemSet(3);
  set.add(1);
  set.add(3);
  for (const item of [0, -1, 4, 1e9, 1.5, Number.NaN]) {
    assert.equal(set.has(item), false);
    assert.throws(() => set.add(item), new RangeError(`item ${item}: allowed are 1 to 3`));
  }
  assert.deepEqual([...set], [1, 3]);
  assert.equal(set.size, 2);
});

test('a set of no items', () => {
  const set = new ItemSet(0);
  assert.deepEqual([[...set], set.size, set.has(1)], [[], 0, false]);
  assert.throws(() => set.add(1), RangeError);
});
