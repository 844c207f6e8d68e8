// Quantiles of figures over nights.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { spread } from './quantiles.ts';

test('a table of spreads', () => {
  assert.equal(spread([]), undefined);
  assert.deepEqual(spread([7]), { low: 7, median: 7, high: 7 });
  const values = Array.from({ length: 1001 }, (_, i) => i);
  assert.equal(spread(values)?.median, 500);
  assert.throws(() => spread([1, Number.NaN]), RangeError);
});

test('ordered, within the values, and the same for any order of them', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 200 }), (values) => {
      const found = spread(values);
      assert.ok(found);
      assert.ok(found.low >= Math.min(...values) && found.low <= found.median && found.median <= found.high);
      assert.ok(found.high <= Math.max(...values));
      assert.deepEqual(spread([...values].reverse()), found);
    }),
  );
});
