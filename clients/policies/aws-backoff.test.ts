// Holds the waits of AWS standard mode against the numbers of botocore's and smithy's own tests, and their bounds for any
// attempt and draw.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import fc from 'fast-check';
import { REPLY_CLASSES, type ReplyClass } from '../policy.ts';
import type { Random } from '../ports.ts';
import { operationOf, resultOf, waitOf } from '../testing.ts';
import { type AwsBackoffSettings, awsBackoff } from './aws-backoff.ts';

const read = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../../../clients/testdata/aws-retry/${name}`, import.meta.url), 'utf8')) as T;

interface Timing {
  readonly name: string;
  readonly steps: readonly { readonly error_type: string; readonly retry_count: number; readonly delay_ms: number }[];
}
const TIMINGS = read<{ legacy: Timing[]; v2026: Timing[] }>('standard_mode_timings.json');
const BOTOCORE = read<{
  backoff_2026: { base_s: number; max_s: number; attempts: number[]; delays_s: number[] };
  jitter_bound: { attempt: number; low_s: number; high_s: number };
  dynamodb_like: { base_s: number; steps: [number, number, number | null][] };
}>('botocore_backoff_and_quota.json');
const SMITHY = read<{ cap_ms: number; rows: { base_ms: number; attempts: number[]; delays_ms: number[] }[] }>(
  'smithy_ts_backoff.json',
);

const LEGACY: AwsBackoffSettings = { transientBaseMs: 100, throttlingBaseMs: 500, capMs: 20_000 };
const V2026: AwsBackoffSettings = { transientBaseMs: 50, throttlingBaseMs: 1000, capMs: 20_000 };
/** The sources draw 1, which a stream never does: the longest wait as it is. */
const ONE: Random = () => 1;

function waitMs(
  settings: AwsBackoffSettings,
  attempt: number,
  random = ONE,
  replyClass: ReplyClass = 'error500',
): number {
  return waitOf(awsBackoff(settings, random).decide?.(resultOf(replyClass, { attempt }), undefined));
}

for (const [name, settings, cases] of [
  ['legacy', LEGACY, TIMINGS.legacy],
  ['2026', V2026, TIMINGS.v2026],
] as const) {
  test(`the waits of smithy's standard mode, ${name}`, () => {
    assert.ok(cases.length > 0);
    for (const { name: title, steps } of cases) {
      const [first, ...failures] = steps;
      // The token that an operation begins with: its wait is never waited, and is the transient base whatever the error.
      assert.equal(first?.delay_ms, settings.transientBaseMs, title);
      for (const { error_type, retry_count, delay_ms } of failures) {
        const replyClass = error_type === 'THROTTLING' ? 'limit429' : 'error500';
        assert.equal(waitMs(settings, retry_count, ONE, replyClass), delay_ms, `${title}, retry ${retry_count}`);
      }
    }
  });
}

test("botocore's waits of 2026, and those of a client with a base of its own", () => {
  const { base_s, max_s, attempts, delays_s } = BOTOCORE.backoff_2026;
  const settings = { ...V2026, transientBaseMs: base_s * 1000, capMs: max_s * 1000 };
  assert.deepEqual(
    attempts.map((attempt) => waitMs(settings, attempt)),
    delays_s.map((delayS) => delayS * 1000),
  );
  const { base_s: ownBaseS, steps } = BOTOCORE.dynamodb_like;
  const own = { ...V2026, transientBaseMs: ownBaseS * 1000 };
  const delays = steps.filter(([, , delayS]) => delayS !== null);
  assert.equal(delays.length, 3);
  for (const [attempt, , delayS] of delays) assert.equal(waitMs(own, attempt), Number(delayS) * 1000);
});

test("smithy's table of waits, which counts attempts from 0", () => {
  for (const { base_ms, attempts, delays_ms } of SMITHY.rows) {
    const settings = { transientBaseMs: base_ms, throttlingBaseMs: 0, capMs: SMITHY.cap_ms };
    assert.deepEqual(
      attempts.map((attempt) => waitMs(settings, attempt + 1)),
      delays_ms,
      `base ${base_ms}`,
    );
  }
});

test('any attempt, class and draw: whole, and between nothing and the wait without jitter', () => {
  const { attempt: third, low_s, high_s } = BOTOCORE.jitter_bound;
  const attempts = fc.oneof(fc.constant(third), fc.integer({ min: 1, max: 30 }), fc.maxSafeNat());
  const uniform = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(attempts, uniform, fc.constantFrom(...REPLY_CLASSES), (attempt, draw, replyClass) => {
      const wait = waitMs(V2026, attempt, () => draw, replyClass);
      assert.ok(Number.isInteger(wait) && wait >= 0 && wait <= waitMs(V2026, attempt, ONE, replyClass), `${wait} ms`);
      if (attempt === third && replyClass === 'error500') assert.ok(wait >= low_s * 1000 && wait <= high_s * 1000);
    }),
    { numRuns: 1000 },
  );
});

test('a part of a millisecond is cut off', () => {
  assert.equal(
    waitMs(V2026, 1, () => 0.999),
    49,
  );
});

test('both kinds of 429 are throttles, nothing else is', () => {
  for (const replyClass of REPLY_CLASSES) {
    const expected = replyClass === 'limit429' || replyClass === 'quota429' ? 1000 : 50;
    assert.equal(waitMs(V2026, 1, ONE, replyClass), expected, replyClass);
  }
});

test('the draw is keyed by item and attempt, and the wait is told as a backoff', () => {
  const asked: [number, number][] = [];
  const random: Random = (...key) => {
    asked.push(key);
    return 0.5;
  };
  const operation = operationOf(17, 3);
  const decision = awsBackoff(V2026, random).decide?.(resultOf('error503', { operation, attempt: 3 }), undefined);
  assert.deepEqual(decision, { kind: 'retry', waitMs: 100, because: 'backoff' });
  assert.deepEqual(asked, [[17, 3]]);
});
