// Many paired intervals at once: one alone is the classical one, together they hold together, and what is the same in another
// unit widens nothing.

import assert from 'node:assert/strict';
import test from 'node:test';
import { stream } from '../../platform-sim/draws.ts';
import { simultaneousMeans } from './simultaneous.ts';

/** Student's own pairs (Biometrika 1908): hours of sleep gained with one drug less those with the other. */
const SLEEP = [1.2, 2.4, 1.3, 1.3, 0, 1, 1.8, 0.8, 4.6, 1.4];

test('one contrast alone has the paired t interval', () => {
  const { estimates, errorEach } = simultaneousMeans([SLEEP], 1);
  assert.equal(errorEach.toFixed(6), '0.050000');
  const [{ mean, sd, low, high } = assert.fail()] = estimates;
  assert.deepEqual(
    [mean, sd, low, high].map((value) => Number(value.toFixed(4))),
    [1.58, 1.23, 0.7001, 2.4599],
  );
});

test('the same contrast in another unit, or turned round, changes no interval; one that varies otherwise widens them', () => {
  const alone = simultaneousMeans([SLEEP], 1).errorEach;
  const minutes = SLEEP.map((hours) => hours * -60);
  const both = simultaneousMeans([SLEEP, minutes], 1);
  assert.equal(both.errorEach, alone);
  assert.ok(Math.abs((both.estimates[1]?.low ?? 0) + 60 * (both.estimates[0]?.high ?? 0)) < 1e-9);
  const other = SLEEP.map((_, index) => (index % 3) - 1);
  const wider = simultaneousMeans([SLEEP, other], 1).errorEach;
  assert.ok(wider < 0.03 && wider > 0.021, `${wider}: near a half of 5 %, which two independent ones would use each`);
});

test('a contrast that does not vary is a point, and says nothing of the others', () => {
  const { estimates, errorEach } = simultaneousMeans([SLEEP, SLEEP.map(() => 7), SLEEP.map(() => 0)], 1);
  assert.deepEqual(estimates[1], { mean: 7, sd: 0, low: 7, high: 7 });
  assert.deepEqual(estimates[2], { mean: 0, sd: 0, low: 0, high: 0 });
  assert.equal(errorEach.toFixed(6), '0.050000');
});

const normal = (seed: number) => {
  const radius = stream(seed, 'test:radius');
  const angle = stream(seed, 'test:angle');
  return (i: number, j: number) => Math.sqrt(-2 * Math.log(1 - radius(i, j))) * Math.cos(2 * Math.PI * angle(i, j));
};

test('ten means of nothing are all held in about 95 of 100 series, twelve nights each', () => {
  const series = 400;
  let held = 0;
  for (let seed = 0; seed < series; seed++) {
    const draw = normal(seed);
    const shared = (night: number) => draw(night, 99);
    const contrasts = Array.from({ length: 10 }, (_, index) =>
      Array.from({ length: 12 }, (_night, night) => draw(night, index) + shared(night)),
    );
    const { estimates } = simultaneousMeans(contrasts, seed);
    if (estimates.every(({ low, high }) => low <= 0 && high >= 0)) held++;
  }
  // Three standard errors of 400 draws with 95 %: 3.3 %.
  assert.ok(held >= 0.917 * series && held <= 0.983 * series, `${held} of ${series}`);
});

test('the same seed gives the same bytes, and nights must match', () => {
  const other = SLEEP.map((value) => value ** 2);
  assert.deepEqual(simultaneousMeans([SLEEP, other], 7), simultaneousMeans([SLEEP, other], 7));
  assert.throws(() => simultaneousMeans([SLEEP, [1, 2]], 1), RangeError);
  assert.throws(() => simultaneousMeans([[1]], 1), RangeError);
});
