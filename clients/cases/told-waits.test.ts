// Cases from public bug reports about what a server says of waiting, through the whole client; docs/cases.md lists them with
// their sources. Where the documents disagree the setting is tested both ways.

import assert from 'node:assert/strict';
import test from 'node:test';
import { DEFAULT_TOLD_WAIT, type ToldWaitSettings } from '../retry-after/read-told-wait.ts';
import type { PolicySettings } from '../strategies/build-policies.ts';
import { type Case, limited, play, type Stage } from './testing.ts';

const WED_0727 = Date.UTC(2026, 9, 21, 7, 27);
const WED_0728 = 'Wed, 21 Oct 2026 07:28:00 GMT';

type HeardSettings = Omit<Extract<PolicySettings, { policy: 'retry_after' }>, 'policy'>;

const HEARD: HeardSettings = {
  tooLong: 'never_shorten',
  limitMs: 300_000,
  floorMs: 0,
  fallbackMs: 2000,
  jitterMs: [0, 0],
  onlyLimits: false,
};
const heard = (changes: Partial<HeardSettings> = {}): PolicySettings => ({
  policy: 'retry_after',
  ...HEARD,
  ...changes,
});
const cap = (attempts: number): PolicySettings => ({ policy: 'attempt_cap', attempts });
const reading = (changes: Partial<ToldWaitSettings>) => ({
  settings: { toldWait: { ...DEFAULT_TOLD_WAIT, ...changes } },
});

/** One request is limited with this header and waits for what it says; returns the wait. */
async function waitAfter(
  header: string,
  changes: Partial<Case> = {},
  settings: Partial<HeardSettings> = {},
): Promise<{ waitMs: number | undefined; stage: Stage }> {
  const answer = limited({ 'retry-after': header });
  const stage = await play({ policies: [cap(3), heard(settings)], answer, ...changes });
  const [first = 0, second] = stage.sentAtMs();
  return { waitMs: second === undefined ? undefined : second - first, stage };
}

test('A1: a malformed date makes the fallback of 2 s after the reply, and no timer gets NaN', async () => {
  const headers = { 'retry-after': 'Wed, 99 Foo 2026 25:00:00 GMT' };
  const answer: Case['answer'] = ({ count }) => ({ ...limited(headers)({ item: 1, count, atMs: 0 }), tookMs: 250 });
  const stage = await play({ policies: [cap(3), heard()], answer });
  assert.deepEqual(stage.sentAtMs(), [0, 2250]);
  const [told] = stage.tolds;
  assert.ok(told?.kind === 'invalid' && told.reason === 'malformed date');
});

test('A2: -3, +3 and 1.5 are no years: the fallback, not the cap of 30 s and not nothing; 120 is 120 s', async () => {
  const capped = { tooLong: 'cap', limitMs: 30_000 } as const;
  for (const epochMs of [0, WED_0727]) {
    for (const header of ['-3', '+3', '1.5'])
      assert.equal((await waitAfter(header, { epochMs }, capped)).waitMs, 2000, header);
    assert.equal((await waitAfter('120', { epochMs })).waitMs, 120_000);
  }
});

test('A3: a date a minute ahead is waited for a minute, with a cap of a minute', async () => {
  const capped = { tooLong: 'cap', limitMs: 60_000 } as const;
  assert.equal((await waitAfter(WED_0728, { epochMs: WED_0727 }, capped)).waitMs, 60_000);
});

test('A5, both ways: 299.997 is no number and makes the fallback of 2 s, or is 300 s; never 0 and never 299', async () => {
  const strict = await waitAfter('299.997', reading({ fractions: 'invalid' }));
  assert.equal(strict.waitMs, 2000);
  const [told] = strict.stage.tolds;
  assert.ok(told?.kind === 'invalid' && told.reason === 'fraction', 'and the reason is on record');
  assert.equal((await waitAfter('299.997', reading({ fractions: 'ceil' }))).waitMs, 300_000);
  for (const fractions of ['invalid', 'ceil'] as const) {
    for (const header of ['1e10000', 'inf'])
      assert.equal((await waitAfter(header, reading({ fractions }))).waitMs, 2000, `${header}, ${fractions}`);
  }
});

test('A7: 0 in the header of milliseconds counts before a date, and then the floor; seconds are seconds', async () => {
  const both = { 'retry-after-ms': '0', 'retry-after': WED_0728 };
  for (const floorMs of [1000, 0]) {
    const policies = [cap(3), heard({ floorMs })];
    const stage = await play({ policies, answer: limited(both), epochMs: WED_0727 });
    assert.deepEqual(stage.sentAtMs(), [0, floorMs]);
  }
  assert.equal((await waitAfter('2')).waitMs, 2000);
});

test('A8, each way: digits with a tail are no number; a doubled header counts first, last or not at all', async () => {
  const fallback = { fallbackMs: 5000 };
  for (const [header, first, last, invalid] of [
    ['1000abc', 5000, 5000, 5000],
    ['\t42 ', 42_000, 42_000, 42_000],
    ['2, 3', 2000, 3000, 5000],
    ['120, 120', 120_000, 120_000, 5000],
  ] as const) {
    assert.equal((await waitAfter(header, reading({ doubled: 'first' }), fallback)).waitMs, first, header);
    assert.equal((await waitAfter(header, reading({ doubled: 'last' }), fallback)).waitMs, last, header);
    assert.equal((await waitAfter(header, reading({ doubled: 'invalid' }), fallback)).waitMs, invalid, header);
  }
});

test('A9: X-RateLimit-Reset in the unit that is set; a moment that is over is no 25 minutes', async () => {
  const reset = async (value: string, resetUnit: ToldWaitSettings['resetUnit'], times = 1) => {
    const stage = await play({
      ...reading({ sources: ['x-ratelimit-reset'], resetUnit }),
      policies: [cap(6), heard({ tooLong: 'cap', floorMs: 1000 })],
      answer: limited({ 'x-ratelimit-reset': value }, times),
      epochMs: 1_700_000_010_000,
    });
    return stage.sentAtMs();
  };
  assert.deepEqual(await reset('1700000000', 'epoch_seconds', 5), [0, 1000, 2000, 3000, 4000, 5000]);
  assert.deepEqual(await reset('1700000017', 'epoch_seconds'), [0, 7000]);
  assert.deepEqual(await reset('30', 'delta_seconds'), [0, 30_000]);
  assert.deepEqual(await reset('1700000017000', 'epoch_ms'), [0, 7000]);
  for (const unit of ['epoch_seconds', 'delta_seconds'] as const)
    assert.deepEqual(await reset('1700000017000', unit), [0, 2000], `milliseconds read as ${unit}: the fallback`);
});

/** A limiter with a window of 60 s from the first request, which says so each time. */
const window60: Case['answer'] = ({ atMs }) =>
  atMs < 60_000 ? { status: 429, headers: { 'retry-after': '60' } } : { status: 200 };

const IN_300_S: PolicySettings = { policy: 'deadline', budgetMs: 300_000, reserveMs: 0, attemptMs: null };
const UP_TO_30_S: PolicySettings = {
  policy: 'exponential_backoff',
  baseMs: 1000,
  capMs: 30_000,
  jitterMs: [0, 0],
};

test('A12, both ways: told 60 s, the cap of the backoff does not shorten it: 2 requests; cut to 30 s it costs a third', async () => {
  const starts = async (settings: Partial<HeardSettings>) =>
    (await play({ policies: [cap(6), UP_TO_30_S, heard(settings), IN_300_S], answer: window60 })).sentAtMs();
  assert.deepEqual(await starts({ tooLong: 'never_shorten', limitMs: 120_000 }), [0, 60_000]);
  assert.deepEqual(await starts({ tooLong: 'cap', limitMs: 120_000 }), [0, 60_000]);
  assert.deepEqual(await starts({ tooLong: 'cap', limitMs: 30_000 }), [0, 30_000, 60_000]);
});

test('A12: told 3600 s with a limit of 120 s: one request, a stop with a reason of its own, and the 3600 s on record', async () => {
  const policies = [cap(6), UP_TO_30_S, heard({ limitMs: 120_000 }), IN_300_S];
  const stage = await play({ policies, answer: limited({ 'retry-after': '3600' }, 9) });
  assert.deepEqual([stage.sentAtMs(), stage.reasons], [[0], ['retry_after_exceeds_limit']]);
  assert.deepEqual(stage.tolds, [{ kind: 'seconds', waitMs: 3_600_000, source: 'retry-after' }]);
  assert.equal(stage.clock.nowMs(), 0);
});

/** When 1000 clients come again that were all limited at 0, in ms; each exactly once. */
async function herd(policies: readonly PolicySettings[], headers: Readonly<Record<string, string>>): Promise<number[]> {
  const { sent } = await play({
    policies: [cap(2), ...policies],
    answer: limited(headers),
    settings: { items: 1000 },
    scheduler: { kind: 'checkpointed_items', concurrency: 1000, holdSlotWhileWaiting: true },
  });
  return sent.filter(({ count }) => count === 2).map(({ atMs }) => atMs);
}

function largestOf10Ms(timesMs: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const atMs of timesMs) counts.set(Math.floor(atMs / 10), (counts.get(Math.floor(atMs / 10)) ?? 0) + 1);
  return Math.max(...counts.values());
}

test('A17: 1000 clients told 30 s: jitter is added on top of it, at the cap too, by whatever rule', async () => {
  for (const tooLong of ['never_shorten', 'cap'] as const) {
    const timesMs = await herd([heard({ tooLong, limitMs: 30_000, jitterMs: [0, 6000] })], { 'retry-after': '30' });
    assert.equal(timesMs.length, 1000);
    assert.ok(Math.min(...timesMs) >= 30_000 && Math.max(...timesMs) <= 36_000);
    assert.ok(largestOf10Ms(timesMs) < 20, `${largestOf10Ms(timesMs)} in one 10 ms`);
  }
  assert.equal(largestOf10Ms(await herd([heard({ limitMs: 30_000 })], { 'retry-after': '30' })), 1000, 'none: a herd');
});

test('A17: the published formula of exponential_backoff cuts its jitter off at the cap; jittered_backoff does not', async () => {
  const published: PolicySettings = {
    policy: 'exponential_backoff',
    baseMs: 30_000,
    capMs: 30_000,
    jitterMs: [0, 6000],
  };
  assert.equal(largestOf10Ms(await herd([published], {})), 1000);
  const spread: PolicySettings = {
    policy: 'jittered_backoff',
    jitter: 'proportional',
    baseMs: 30_000,
    capMs: 30_000,
    factor: 2,
    share: 0.2,
  };
  assert.ok(largestOf10Ms(await herd([spread], {})) < 20);
});

const KNOWS: PolicySettings = {
  policy: 'classification',
  retryStatuses: [429, 503],
  methodSafety: true,
  knowsQuota: true,
};
const QUOTA = { 'x-limit-kind': 'quota' };
const RATE = { 'x-limit-kind': 'edge', 'retry-after': '2' };

test('A39: a quota rejection of 1,128,412 bytes is sent once and not 9 times, a rate rejection again', async () => {
  const bytes = async (policies: readonly PolicySettings[], headers: Readonly<Record<string, string>>) => {
    const { sent, reasons } = await play({ policies: [...policies, cap(9), heard()], answer: limited(headers, 99) });
    return { bytes: sent.length * 1_128_412, reasons };
  };
  const once = { bytes: 1_128_412, reasons: ['quota_exhausted'] };
  assert.deepEqual(await bytes([KNOWS], QUOTA), once);
  assert.deepEqual(await bytes([{ policy: 'quota_stop' }], QUOTA), once);
  const nine = { bytes: 10_155_708, reasons: ['attempts_exhausted'] };
  const blind = { policy: 'fixed_backoff', waitMs: 1000 } as const;
  assert.deepEqual(await bytes([{ ...KNOWS, knowsQuota: false }, blind], QUOTA), nine);
  assert.deepEqual(await bytes([KNOWS], RATE), nine);
});

test('A39, both ways: a 429 that names no limit and tells no wait is read as set, and counted apart', async () => {
  const read = async (unlabelledLimits: 'rate' | 'quota', headers: Readonly<Record<string, string>>) => {
    const { task, sent, reasons } = await play({
      policies: [KNOWS, cap(3), heard()],
      answer: limited(headers, 99),
      settings: { unlabelledLimits },
    });
    const { limit429, quota429 } = task.tally.totals();
    return [sent.length, reasons[0], limit429, quota429, task.tally.unlabelledLimits];
  };
  assert.deepEqual(await read('rate', {}), [3, 'attempts_exhausted', 3, 0, 3]);
  assert.deepEqual(await read('quota', {}), [1, 'quota_exhausted', 0, 1, 1]);
  for (const unlabelledLimits of ['rate', 'quota'] as const) {
    for (const told of [{ 'retry-after': '2' }, { 'retry-after': 'soon' }, RATE])
      assert.deepEqual(await read(unlabelledLimits, told), [3, 'attempts_exhausted', 3, 0, 0]);
    assert.deepEqual(await read(unlabelledLimits, QUOTA), [1, 'quota_exhausted', 0, 1, 0]);
  }
});
