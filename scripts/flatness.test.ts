// When memory is flat: teeth and a warm-up do not count, a slope does.

import assert from 'node:assert/strict';
import test from 'node:test';
import { flatness } from './flatness.ts';

const samples = (of: (at: number) => number) => Array.from({ length: 100 }, (_, index) => of(index / 100));

test('teeth and a warm-up are flat, a slope is not, and too few samples say nothing', () => {
  assert.equal(flatness(samples((at) => (at < 0.2 ? 100 : 200))).ratio, 1);
  assert.ok(Math.abs(flatness(samples((at) => 200 + 50 * ((at * 20) % 1))).ratio - 1) < 0.05);
  assert.ok(flatness(samples((at) => 100 + 100 * at)).ratio > 1.3);
  assert.throws(() => flatness([1, 2, 3]), /too few/);
});
