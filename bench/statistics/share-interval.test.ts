// Shares with their intervals: printed values, ends, and how often the interval holds the truth.

import assert from 'node:assert/strict';
import test from 'node:test';
import { shareEstimate } from './share-interval.ts';

test('printed intervals, and those of none and of all', () => {
  const rounded = ({ low, high }: { low: number; high: number }) => [low, high].map((end) => Number(end.toFixed(4)));
  assert.deepEqual(rounded(shareEstimate(1, 10)), [0.0025, 0.445]);
  assert.deepEqual(rounded(shareEstimate(5, 10)), [0.1871, 0.8129]);
  assert.deepEqual(rounded(shareEstimate(0, 10)), [0, 0.3085]);
  assert.deepEqual(rounded(shareEstimate(10, 10)), [0.6915, 1]);
  for (const [count, of] of [
    [1, 0],
    [-1, 5],
    [6, 5],
  ] as const)
    assert.throws(() => shareEstimate(count, of), RangeError);
});

test('it holds the true share at least as often as it says, whatever that share is', () => {
  const n = 40;
  for (let p = 0.02; p < 1; p += 0.02) {
    let probability = (1 - p) ** n;
    let covered = 0;
    for (let k = 0; k <= n; k++) {
      const { low, high } = shareEstimate(k, n);
      if (low <= p && p <= high) covered += probability;
      probability *= ((n - k) / (k + 1)) * (p / (1 - p));
    }
    assert.ok(covered >= 0.95, `${p}: ${covered}`);
  }
});
