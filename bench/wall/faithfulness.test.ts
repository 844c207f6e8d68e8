// Minute cells against a band: nights of unequal length compare, and what leaves the band is named.

import assert from 'node:assert/strict';
import test from 'node:test';
import { stream } from '../../platform-sim/draws.ts';
import type { MinuteRow } from '../../platform-sim/meter.ts';
import { bandOf, cellsOf, faithfulness } from './faithfulness.ts';

const draw = stream(9, 'minutes');

/** A night of 4 or 5 minutes, each with about 1,750 calls, all but 8 % of them billed. */
function drawn(night: number): { platform: { minutes: MinuteRow[]; quotaGoneMs: undefined; callsAfterQuota: number } } {
  const minutes = Array.from({ length: 4 + (night % 2) }, (_, minute) => {
    const near = (mean: number, column: number) =>
      Math.round(mean * (1 + 0.04 * (draw(night, 10 * minute + column) + draw(night, 10 * minute + column + 5) - 1)));
    const [billed, soft] = [near(1610, 0), near(140, 1)];
    return { minute, total: billed + soft, billed, soft, edge: 0, quota: 0 } as MinuteRow;
  });
  return { platform: { minutes, quotaGoneMs: undefined, callsAfterQuota: 0 } };
}

const band = bandOf(Array.from({ length: 400 }, (_, night) => cellsOf(drawn(night))));
/** The night with its calls multiplied in one minute. */
const scaled = (night: number, minute: number, by: number) => {
  const { platform } = drawn(night);
  const minutes = platform.minutes.map((row) =>
    row.minute === minute ? { ...row, total: Math.round(row.total * by) } : row,
  );
  return { platform: { ...platform, minutes } };
};

test('new nights lie in the band, all cells of 99 in 100', () => {
  const fresh = Array.from({ length: 500 }, (_, night) => faithfulness(drawn(10_000 + night), band));
  const leaving = fresh.filter(({ outside }) => outside.length > 0).length;
  assert.ok(leaving <= 15, `${leaving} of 500`);
  assert.ok(fresh.every(({ cells, nights }) => cells === 25 && nights === 400));
});

test('a minute that a slow machine made smaller, or a night that goes on, is outside, and the cell is named', () => {
  for (const by of [0.9, 1.1]) {
    const { outside, share_outside } = faithfulness(scaled(1, 2, by), band);
    assert.deepEqual(
      outside.map(({ minute, column }) => [minute, column]),
      [[2, 'total']],
    );
    assert.equal(share_outside, 1 / 25);
  }
  const { platform } = drawn(1);
  const after = { minute: 5, total: 3, billed: 0, soft: 0, edge: 3, quota: 0 } as MinuteRow;
  const longer = faithfulness({ platform: { ...platform, minutes: [...platform.minutes, after] } }, band);
  assert.deepEqual(
    longer.outside.map(({ minute, column, count, high }) => [minute, column, count, high]),
    [
      [5, 'total', 3, 0],
      [5, 'edge', 3, 0],
    ],
  );
  assert.equal(longer.cells, 30);
});

test('a cell that leaps in one night of a hundred widens the band of no other', () => {
  const rows = Array.from({ length: 200 }, (_, night) => [...cellsOf(drawn(2 * night)), night % 100 === 7 ? 900 : 0]);
  const plain = bandOf(rows.map((row) => row.slice(0, -1))).envelope;
  const leaping = bandOf(rows).envelope;
  const width = ({ low, high }: typeof plain, cell: number) => (high[cell] ?? 0) - (low[cell] ?? 0);
  for (let cell = 0; cell < 20; cell++)
    assert.ok(width(leaping, cell) <= 1.5 * width(plain, cell) + 3, `cell ${cell}: ${width(leaping, cell)}`);
  assert.ok((leaping.high[20] ?? 0) >= 900);
});
