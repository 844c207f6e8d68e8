// Holds each way of jitter to its published figures, both ends of its range and its bounds, and shows what it is for: the
// herd that comes back at once without it (case A17), and delays that no timer can hold (A15).

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { stream } from '../../platform-sim/draws.ts';
import type { Random } from '../ports.ts';
import { operationOf, resultOf, waitOf } from '../testing.ts';
import { type Jitter, type JitteredBackoffSettings, jitteredBackoff, jitteredMs } from './jittered-backoff.ts';

const JITTERS: readonly Jitter[] = ['none', 'full', 'equal', 'decorrelated', 'proportional', 'downward'];
const LARGEST_UNIFORM = 1 - 2 ** -32;
const MAX_TIMER_MS = 2 ** 31 - 1;

const AWS: JitteredBackoffSettings = { jitter: 'full', baseMs: 1000, capMs: 30_000, factor: 2, share: 0 };
const CODEX: JitteredBackoffSettings = {
  jitter: 'proportional',
  baseMs: 200,
  capMs: MAX_TIMER_MS,
  factor: 2,
  share: 0.1,
};
const ANTHROPIC: JitteredBackoffSettings = { jitter: 'downward', baseMs: 500, capMs: 8000, factor: 2, share: 0.25 };
const LADDER: JitteredBackoffSettings = { jitter: 'proportional', baseMs: 1000, capMs: 30_000, factor: 2, share: 0.3 };

const rangeOf = (settings: JitteredBackoffSettings, attempt: number, previousMs = 0) =>
  [0, LARGEST_UNIFORM].map((uniform) => jitteredMs(settings, attempt, previousMs, uniform));

test('published figures: the least and the most of each wait', () => {
  const table: [JitteredBackoffSettings, ...[least: number, most: number][]][] = [
    [{ ...AWS, jitter: 'none' }, [1000, 1000], [2000, 2000], [4000, 4000], [8000, 8000], [16_000, 16_000]],
    [AWS, [0, 1000], [0, 2000], [0, 4000], [0, 8000], [0, 16_000], [0, 30_000], [0, 30_000]],
    [{ ...AWS, jitter: 'equal' }, [500, 1000], [1000, 2000], [2000, 4000], [4000, 8000], [8000, 16_000]],
    [CODEX, [180, 220], [360, 440], [720, 880], [1440, 1760], [2880, 3520]],
    // k = 0 to 5 retries made.
    [ANTHROPIC, [375, 500], [750, 1000], [1500, 2000], [3000, 4000], [6000, 8000], [6000, 8000]],
    [LADDER, [700, 1300], [1400, 2600], [2800, 5200], [5600, 10_400], [11_200, 20_800], [21_000, 39_000]],
  ];
  for (const [settings, ...ranges] of table) {
    for (const [index, range] of ranges.entries())
      assert.deepEqual(rangeOf(settings, index + 1), range, `${JSON.stringify(settings)}, attempt ${index + 1}`);
  }
});

test('nominal waits: the fourth retry of Codex, and the curve that seed 003 asserts with no jitter', () => {
  assert.equal(jitteredMs({ ...CODEX, share: 0 }, 4, 0, 0.5), 1600);
  assert.equal(jitteredMs(CODEX, 4, 0, 0.5), 1600);
  for (const [attempt, least, below] of [
    [0, 1000, 2000],
    [1, 2000, 4000],
    [2, 4000, 8000],
  ] as const) {
    const wait = jitteredMs({ ...LADDER, share: 0 }, attempt + 1, 0, LARGEST_UNIFORM);
    assert.ok(least <= wait && wait < below, `${wait} ms`);
  }
});

test('a share that is no binary fraction loses no millisecond, and a range between two is rounded down at both ends', () => {
  for (const [baseMs, share, least, most] of [
    [100, 0.29, 71, 129],
    [100, 0.07, 93, 107],
    [101, 0.1, 90, 111],
    [3, 1, 0, 6],
  ] as const) {
    assert.deepEqual(rangeOf({ ...LADDER, baseMs, share }, 1), [least, most]);
    assert.deepEqual(rangeOf({ ...ANTHROPIC, baseMs, share }, 1), [least, baseMs]);
  }
  assert.deepEqual(rangeOf({ ...AWS, jitter: 'equal', baseMs: 5 }, 1), [2, 5]);
});

test('decorrelated: from the base to three times the wait before, cut at the cap', () => {
  const settings = { ...AWS, jitter: 'decorrelated' } as const;
  for (const [previousMs, least, most] of [
    [0, 1000, 3000],
    [1000, 1000, 3000],
    [1001, 1000, 3003],
    [9999, 1000, 29_997],
    [10_000, 1000, 30_000],
    [30_000, 1000, 30_000],
    [MAX_TIMER_MS, 1000, 30_000],
    [Number.POSITIVE_INFINITY, 1000, 30_000],
  ] as const) {
    for (const attempt of [1, 2, 2 ** 53]) assert.deepEqual(rangeOf(settings, attempt, previousMs), [least, most]);
  }
});

test('decorrelated grows from its own waits, per operation, whatever wait was carried out', () => {
  const policy = jitteredBackoff({ ...AWS, jitter: 'decorrelated' }, () => LARGEST_UNIFORM);
  const [one, other] = [operationOf(1), operationOf(1)];
  const waits = (operation: typeof one, attempts: readonly number[]) =>
    attempts.map((attempt) => {
      operation.previousWaitMs = 600_000;
      return waitOf(policy.decide?.(resultOf('error500', { operation, attempt }), undefined));
    });
  assert.deepEqual(waits(one, [1, 2]), [3000, 9000]);
  assert.deepEqual(waits(other, [1, 2, 3, 4, 5]), [3000, 9000, 27_000, 30_000, 30_000]);
  assert.deepEqual(waits(one, [3]), [27_000]);
});

test('A15: with no cap but the timer’s, no delay is more than it holds, and none is less than the one before', () => {
  for (const [factor, firstCut] of [
    [10, 8],
    [2, 23],
  ] as const) {
    const settings: JitteredBackoffSettings = { ...AWS, jitter: 'none', capMs: MAX_TIMER_MS, factor };
    let before = 0;
    for (let attempt = 1; attempt <= 1200; attempt++) {
      const wait = jitteredMs(settings, attempt, before, 0);
      assert.equal(wait, attempt < firstCut ? 1000 * factor ** (attempt - 1) : MAX_TIMER_MS, `attempt ${attempt}`);
      assert.ok(wait >= before);
      before = wait;
    }
    for (const capMs of [MAX_TIMER_MS, 2 ** 40, Number.POSITIVE_INFINITY]) {
      for (const jitter of JITTERS) {
        const [, most] = rangeOf({ ...settings, jitter, capMs, share: 0.3 }, 2 ** 53, MAX_TIMER_MS);
        assert.equal(most, MAX_TIMER_MS, jitter);
      }
    }
  }
});

const clientWaits = (settings: JitteredBackoffSettings, attempt: number) => {
  const policy = jitteredBackoff(settings, stream(17, 'client:backoff-jitter'));
  return Array.from({ length: 1000 }, (_, client) => {
    const operation = operationOf(client + 1, attempt);
    return waitOf(policy.decide?.(resultOf('error503', { operation, attempt }), undefined));
  });
};

/** How many of the waits end in each 10 ms. */
function buckets(waits: readonly number[]): number[] {
  const counts = new Map<number, number>();
  for (const wait of waits) counts.set(Math.floor(wait / 10), (counts.get(Math.floor(wait / 10)) ?? 0) + 1);
  return [...counts.values()];
}

test('A17: 1000 clients come back in one 10 ms without jitter, and about 10 in each with full jitter', () => {
  assert.deepEqual(buckets(clientWaits({ ...AWS, jitter: 'none' }, 1)), [1000]);
  const full = buckets(clientWaits(AWS, 1));
  // 100 buckets hold 10 each on average; the one of exactly 1000 ms holds a single wait in a thousand.
  assert.ok(full.length >= 99 && full.length <= 101, `${full.length} buckets`);
  assert.ok(Math.max(...full) < 40, `peak ${Math.max(...full)}`);
  const mean = clientWaits(AWS, 1).reduce((sum, wait) => sum + wait, 0) / 1000;
  assert.ok(Math.abs(mean - 500) < 40, `mean ${mean} ms: 4 standard errors are 37`);
});

test('A17: at the cap the jitter is not erased', () => {
  for (const settings of [AWS, LADDER, { ...AWS, jitter: 'equal' } as const, ANTHROPIC]) {
    const peak = Math.max(...buckets(clientWaits(settings, 12)));
    assert.ok(peak < 40, `${settings.jitter}: ${peak} in one 10 ms`);
  }
});

const ms = fc.oneof(fc.integer({ min: 0, max: 60_000 }), fc.integer({ min: 0, max: MAX_TIMER_MS }));
const anyCase = fc.record({
  settings: fc.record({
    jitter: fc.constantFrom(...JITTERS),
    baseMs: ms,
    capMs: ms,
    factor: fc.oneof(fc.constantFrom(1, 2, 10), fc.double({ min: 1, max: 1e9, noNaN: true })),
    share: fc.oneof(fc.constantFrom(0, 0.1, 0.25, 0.3, 1), fc.double({ min: 0, max: 1, noNaN: true })),
  }),
  attempt: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 2 ** 53 })),
  previousMs: ms,
});

/** The two ends by the formula, in plain numbers; a wait may be a whole ms from them, and no more. */
function formula({ jitter, baseMs, capMs, share }: JitteredBackoffSettings, v: number, before: number) {
  const range: Record<Jitter, readonly [number, number]> = {
    none: [v, v],
    full: [0, v],
    equal: [v / 2, v],
    decorrelated: [Math.min(capMs, baseMs), Math.min(capMs, 3 * Math.max(baseMs, Math.min(before, capMs)))],
    proportional: [v * (1 - share), Math.min(v * (1 + share), MAX_TIMER_MS)],
    downward: [v * (1 - share), v],
  };
  return range[jitter];
}

test('any settings and attempt: both ends are reached, whole, and nothing lies beyond them', () => {
  fc.assert(
    fc.property(anyCase, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (each, uniform) => {
      const { settings, attempt, previousMs } = each;
      const v = jitteredMs({ ...settings, jitter: 'none' }, attempt, previousMs, uniform);
      const [low, high] = formula(settings, v, previousMs);
      const [least = -1, most = -1] = rangeOf(settings, attempt, previousMs);
      assert.ok(least <= low + 1e-3 && least > low - 1 - 1e-3, `least ${least} of ${low}`);
      assert.ok(most <= high + 1e-3 && most > high - 1 - 1e-3, `most ${most} of ${high}`);
      const wait = jitteredMs(settings, attempt, previousMs, uniform);
      assert.ok(Number.isInteger(wait) && least <= wait && wait <= most, `${wait} ms`);
      assert.ok(wait <= (settings.jitter === 'proportional' ? MAX_TIMER_MS : settings.capMs), `${wait} ms`);
    }),
    { numRuns: 3000 },
  );
});

test('the draw is keyed by item and attempt', () => {
  const asked: [number, number][] = [];
  const random: Random = (item, count) => {
    asked.push([item, count]);
    return 0;
  };
  const policy = jitteredBackoff(AWS, random);
  const decision = policy.decide?.(resultOf('error500', { operation: operationOf(17, 3), attempt: 3 }), undefined);
  assert.deepEqual(decision, { kind: 'retry', waitMs: 0, because: 'backoff' });
  assert.deepEqual(asked, [[17, 3]]);
});
