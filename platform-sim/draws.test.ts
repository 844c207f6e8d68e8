// Holds that draws are keyed: pure in (seed, name, key, ordinal), uniform, and independent along each of the four.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { sampleCorrelation } from 'simple-statistics';
import { hashText, type Stream, stream, wholeBetween } from './draws.ts';

fc.configureGlobal({ seed: 20261016 });

const anySeed = fc.maxSafeInteger();
const anyName = fc.string({ maxLength: 20 });
const anyKey = fc.integer({ min: -(2 ** 31), max: 999_999_999 });
const anyOrdinal = fc.integer({ min: 0, max: 1_000_000 });

const N = 40_000;
const BUCKETS = 64;
/** Five standard deviations of the correlation of N independent pairs. */
const UNCORRELATED = 5 / Math.sqrt(N);

/** N draws: the first 200 requests of 200 keys. */
const sample = (draw: Stream, keyShift = 0, ordinalShift = 0): number[] =>
  Array.from({ length: N }, (_, i) => draw(Math.floor(i / 200) + keyShift, (i % 200) + ordinalShift));

function assertUniform(draws: readonly number[], what: string): void {
  const mean = draws.reduce((sum, each) => sum + each, 0) / draws.length;
  assert.ok(Math.abs(mean - 0.5) < 5 * Math.sqrt(1 / 12 / draws.length), `${what}: mean ${mean}`);
  const counts = new Uint32Array(BUCKETS);
  for (const each of draws) counts[Math.floor(each * BUCKETS)] = (counts[Math.floor(each * BUCKETS)] ?? 0) + 1;
  const expected = draws.length / BUCKETS;
  const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  // 63 degrees of freedom: mean 63, standard deviation 11.2; below 20 would be too even for chance.
  assert.ok(chiSquare > 20 && chiSquare < 63 + 5 * 11.2, `${what}: chi-square ${chiSquare}`);
}

function assertUncorrelated(a: readonly number[], b: readonly number[], what: string): void {
  const r = sampleCorrelation([...a], [...b]);
  assert.ok(Math.abs(r) < UNCORRELATED, `${what}: correlation ${r}`);
}

test('the same arguments give the same number, in [0, 1)', () => {
  fc.assert(
    fc.property(anySeed, anyName, anyKey, anyOrdinal, (seed, name, key, ordinal) => {
      const value = stream(seed, name)(key, ordinal);
      assert.ok(value >= 0 && value < 1, `${value}`);
      assert.equal(stream(seed, name)(key, ordinal), value);
    }),
  );
});

test('the numbers are pinned: an old night can be run again', () => {
  const draw = stream(1, 'fault');
  const pinned = [0.4549935017712414, 0.35906015685759485, 0.13402319350279868, 0.4873703825287521];
  assert.deepEqual([draw(0, 0), draw(0, 1), draw(8999, 0), draw(-7, 3)], pinned);
});

test('uniform over keys, over ordinals, and over clients without an item', () => {
  for (const seed of [0, 1, 42, 2 ** 40 + 3]) {
    for (const name of ['fault', 'soft_limit', 'latency']) {
      const draw = stream(seed, name);
      assertUniform(sample(draw), `${seed} ${name}`);
      const keys = Array.from({ length: N }, (_, key) => draw(key, 0));
      assertUniform(keys, `${seed} ${name}, first requests`);
      const ordinals = Array.from({ length: N }, (_, ordinal) => draw(-12_345, ordinal));
      assertUniform(ordinals, `${seed} ${name}, one client`);
    }
  }
});

test('neighbouring keys and ordinals are uncorrelated', () => {
  const draw = stream(7, 'fault');
  for (const step of [1, 2, 16, 1024]) {
    assertUncorrelated(sample(draw), sample(draw, step, 0), `keys ${step} apart`);
    assertUncorrelated(sample(draw), sample(draw, 0, step), `ordinals ${step} apart`);
    assertUncorrelated(sample(draw), sample(draw, step, -step), `key plus ${step}, ordinal less ${step}`);
  }
});

test('streams of different names or seeds are uncorrelated', () => {
  const draws = sample(stream(7, 'fault'));
  for (const name of ['fault#2', 'Fault', 'soft_limit', 'latency', 'rejection-latency', '']) {
    assertUncorrelated(draws, sample(stream(7, name)), name);
  }
  for (const seed of [6, 8, -7, 7 + 2 ** 31, 7 + 2 ** 32, 7 + 2 ** 33, 7 + 2 ** 52]) {
    assertUncorrelated(draws, sample(stream(seed, 'fault')), `seed ${seed}`);
  }
});

test('seeds above 2^32 count with both their halves', () => {
  const low = fc.integer({ min: 0, max: 2 ** 32 - 1 });
  const high = fc.integer({ min: 1, max: 2 ** 21 - 1 });
  fc.assert(
    fc.property(low, high, (l, h) => {
      const first = (seed: number) => [0, 1, 2].map((key) => stream(seed, 'fault')(key, 0));
      assert.notDeepEqual(first(l), first(l + h * 2 ** 32));
    }),
  );
});

test('adding a stream, and drawing from it, moves no other', () => {
  const alone = sample(stream(3, 'fault'));
  const fault = stream(3, 'fault');
  const other = stream(3, 'duplicate');
  const beside = alone.map((_, i) => {
    other(i, 0);
    const value = fault(Math.floor(i / 200), i % 200);
    other(0, i);
    return value;
  });
  assert.deepEqual(beside, alone);
});

test('the order in which keys are asked does not matter', () => {
  const draw = stream(3, 'fault');
  const asked = fc.uniqueArray(fc.tuple(anyKey, anyOrdinal), { selector: String });
  fc.assert(
    fc.property(asked, (pairs) => {
      const forwards = pairs.map(([key, ordinal]) => draw(key, ordinal));
      const backwards = pairs.toReversed().map(([key, ordinal]) => draw(key, ordinal));
      assert.deepEqual(backwards.toReversed(), forwards);
    }),
  );
});

test('hashText: a signed 32-bit integer that tells texts and seeds apart', () => {
  const texts = Array.from({ length: 20_000 }, (_, i) => `client-${i}`);
  const hashes = texts.map((text) => hashText(text));
  for (const hash of hashes) assert.equal(hash, hash | 0);
  // 20,000 texts over 2^32 hashes: 0.05 collisions expected.
  assert.ok(new Set(hashes).size >= texts.length - 1);
  assert.notEqual(hashText('ab'), hashText('ba'));
  assert.notEqual(hashText(''), hashText('', 1));
});

test('wholeBetween reaches both ends and never leaves them', () => {
  const nearlyOne = 1 - 2 ** -53;
  assert.deepEqual(
    [0, 0.499, 0.5, nearlyOne].map((uniform) => wholeBetween(10, 11, uniform)),
    [10, 10, 11, 11],
  );
  const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const end = fc.integer({ min: 0, max: 2 ** 31 - 1 });
  fc.assert(
    fc.property(end, end, unit, (a, b, uniform) => {
      const [low, high] = [Math.min(a, b), Math.max(a, b)];
      const value = wholeBetween(low, high, uniform);
      assert.ok(Number.isInteger(value) && value >= low && value <= high, `${value} of ${low} to ${high}`);
      assert.equal(wholeBetween(low, high, 0), low);
      assert.equal(wholeBetween(low, high, nearlyOne), high);
    }),
  );
});

test('wholeBetween gives each number its share', () => {
  const counts = [0, 0, 0, 0, 0];
  for (const uniform of sample(stream(9, 'latency'))) {
    const index = wholeBetween(0, 4, uniform);
    counts[index] = (counts[index] ?? 0) + 1;
  }
  for (const count of counts) assert.ok(Math.abs(count - N / 5) < 5 * Math.sqrt(N * 0.2 * 0.8), `${counts}`);
});
