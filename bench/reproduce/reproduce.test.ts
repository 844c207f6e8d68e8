// The judgement over the published figures: bands cover what they say, ranges meet, and the figures agree among themselves.

import assert from 'node:assert/strict';
import test from 'node:test';
import { stream } from '../../platform-sim/draws.ts';
import { envelope } from './envelope.ts';
import { meets } from './figures.ts';
import { BILLING_TABLE, CLOSED_FORM, GUARDED, NAIVE, PROGRESS_LINES } from './published.ts';

test('the band of a table holds 99 of 100 new tables whole, where single bands would lose half of them', () => {
  const CELLS = 72;
  const draw = stream(7, 'tables');
  // Sums of uniforms, leaning to one side in every third cell.
  const table = (night: number) =>
    Array.from({ length: CELLS }, (_, cell) => {
      const sum = Array.from({ length: 6 }, (_, i) => draw(night * 100 + cell, i)).reduce((a, b) => a + b, 0);
      return cell % 3 === 0 ? Math.floor(sum ** 3) : Math.floor(sum * 100);
    });
  const band = envelope(Array.from({ length: 1000 }, (_, night) => table(night)));
  const fresh = Array.from({ length: 1000 }, (_, night) => table(1_000_000 + night));
  const inside = fresh.filter((cells) =>
    cells.every((value, i) => value >= (band.low[i] ?? 0) && value <= (band.high[i] ?? 0)),
  );
  assert.ok(inside.length >= 970 && inside.length <= 1000, `${inside.length} of 1000`);
});

test('a cell that never varies allows whole counts next to it and nothing more', () => {
  const { low, high, u } = envelope(Array.from({ length: 100 }, (_, i) => [0, i]));
  assert.equal(low[0], 0);
  assert.ok((high[0] ?? 0) <= Math.ceil(u));
});

test('a number lies in a band with both ends, a range meets it', () => {
  const band = { low: 5, high: 10 };
  for (const [published, expected] of [
    [4.9, false],
    [5, true],
    [10, true],
    [10.1, false],
    [[1, 4], false],
    [[1, 5], true],
    [[10, 12], true],
    [[11, 12], false],
  ] as const) {
    assert.equal(meets(published, band), expected, String(published));
  }
});

test('the published figures agree with one another', () => {
  const column = (index: 0 | 1 | 2 | 3) => BILLING_TABLE.reduce((sum, row) => sum + row[index], 0);
  assert.deepEqual(
    [column(0), column(1), column(2), column(3)],
    [NAIVE.calls, NAIVE.billed, NAIVE.edgeRejected, NAIVE.softLimited],
  );
  assert.equal(NAIVE.billed + NAIVE.quotaRejected + NAIVE.edgeRejected + NAIVE.softLimited, NAIVE.calls);
  assert.equal(NAIVE.ok + NAIVE.error500, NAIVE.billed);
  assert.equal(NAIVE.edgeRejected + NAIVE.softLimited, NAIVE.limit429);
  for (const line of PROGRESS_LINES)
    assert.equal(line.ok + line.limit429 + line.quota429 + line.error500, line.attempts);
  assert.equal(GUARDED.calls - GUARDED.billed, GUARDED.limit429);
  assert.equal(GUARDED.itemsDone + GUARDED.itemsAbandoned, 9000);
});

test('the closed form is the one of the reference figures', () => {
  assert.equal(CLOSED_FORM.calls.toFixed(1), '13006.1');
  assert.equal(CLOSED_FORM.billed.toFixed(1), '11965.6');
  assert.equal(CLOSED_FORM.itemsAbandoned.toFixed(1), '25.8');
});
