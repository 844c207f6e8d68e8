// Cases from public bug reports about backoff, layers, writes, time limits, breakers and slots, through the whole client;
// docs/cases.md lists them with their sources.

import assert from 'node:assert/strict';
import test from 'node:test';
import { perform, startOperation } from '../driver.ts';
import type { PolicySettings } from '../strategies/build-policies.ts';
import type { SchedulerSettings } from '../strategies/settings.ts';
import { type Answer, type Case, MAX_TIMER_MS, play, stageOf } from './testing.ts';

const cap = (attempts: number): PolicySettings => ({ policy: 'attempt_cap', attempts });
const IMMEDIATE: PolicySettings = { policy: 'immediate' };
const fixed = (waitMs: number): PolicySettings => ({ policy: 'fixed_backoff', waitMs });
const always =
  (status: number, tookMs = 0): Case['answer'] =>
  () => ({ status, tookMs });

test('A15: base 1 s, factor 10 and 2, no cap but the timer’s: no attempt is closer than the wait before it', async () => {
  const jittered = (factor: number): PolicySettings => ({
    policy: 'jittered_backoff',
    jitter: 'none',
    baseMs: 1000,
    capMs: MAX_TIMER_MS,
    factor,
    share: 0,
  });
  const published: PolicySettings = {
    policy: 'exponential_backoff',
    baseMs: 1000,
    capMs: MAX_TIMER_MS,
    jitterMs: [0, 0],
  };
  for (const [backoff, firstAtTheLimit] of [
    [jittered(10), 8],
    [jittered(2), 23],
    [published, 23],
  ] as const) {
    const { sentAtMs } = await play({ policies: [cap(40), backoff], answer: always(503) });
    const starts = sentAtMs();
    const delays = starts.slice(1).map((atMs, index) => atMs - (starts[index] ?? 0));
    assert.equal(delays.length, 39);
    assert.equal(delays.indexOf(MAX_TIMER_MS) + 1, firstAtTheLimit);
    for (const [index, delayMs] of delays.entries()) assert.ok(delayMs >= (delays[index - 1] ?? 1000), `${delayMs} ms`);
  }
});

/** Passes of a scheduler around attempts of an operation: two layers of retries. */
const replay = (maxPasses: number): SchedulerSettings => ({
  kind: 'replay_batches',
  concurrency: 1,
  batchSize: 10,
  maxPasses,
  pauseAfterPassMs: 0,
  skipDone: true,
});

test('A18: always 429: 4 outer times 3 inner attempts are 12, 4 with the inner layer off, 3 times 3 are 9', async () => {
  for (const [outer, inner, requests] of [
    [4, 3, 12],
    [4, 1, 4],
    [3, 3, 9],
    [4, 2, 8],
  ] as const) {
    const scheduler = replay(outer);
    const { sent, task } = await play({ policies: [cap(inner), IMMEDIATE], answer: always(429), scheduler });
    assert.equal(sent.length, requests, `${outer} times ${inner}`);
    assert.deepEqual([task.tally.operations, task.tally.attempts], [outer, requests]);
  }
});

test('A19: 4 attempts at most, which are 3 retries: 4 requests, 3 waits, and none after the last failure', async () => {
  const { task, clock, sentAtMs } = await play({ policies: [cap(4), fixed(1000)], answer: always(503) });
  assert.deepEqual(sentAtMs(), [0, 1000, 2000, 3000]);
  assert.equal(task.tally.waits.get('backoff')?.count, 3);
  assert.equal(clock.nowMs(), 3000);
});

/** Commits each write at once, by its key, and says 504 the first 11 times. */
async function write(idempotencyKeys: boolean, methodSafety: boolean) {
  const { sent, reasons, task } = await play({
    policies: [
      { policy: 'classification', retryStatuses: [504], methodSafety, knowsQuota: true },
      cap(12),
      fixed(1000),
    ],
    answer: ({ count }) => ({ status: count <= 11 ? 504 : 200 }),
    settings: { method: 'POST', idempotencyKeys },
  });
  const keys = new Set(sent.map(({ idempotencyKey }) => idempotencyKey));
  return { requests: sent.length, keys: keys.size, reason: reasons.at(-1), unknown: task.tally.outcomes.unknown };
}

test('A21, both ways: a POST that was committed and answered 504, 11 times: once without a key, 12 times with the same one', async () => {
  assert.deepEqual(await write(false, true), { requests: 1, keys: 1, reason: 'outcome_unknown', unknown: 1 });
  assert.deepEqual(await write(true, true), { requests: 12, keys: 1, reason: 'done', unknown: 0 });
  assert.deepEqual(await write(false, false), { requests: 12, keys: 1, reason: 'done', unknown: 0 });
});

const within = (budgetMs: number, attemptMs: number | null = null): PolicySettings => ({
  policy: 'deadline',
  budgetMs,
  reserveMs: 0,
  attemptMs,
});

test('A29: five attempts of 12 s take 60 s without a limit for all of them; a limit of 10 s cancels the first at 10', async () => {
  const policies = [cap(5), IMMEDIATE];
  const free = await play({ policies, answer: always(503, 12_000) });
  assert.deepEqual([free.sent.length, free.clock.nowMs()], [5, 60_000]);
  const bound = await play({ policies: [...policies, within(10_000)], answer: always(503, 12_000) });
  assert.deepEqual([bound.sentAtMs(), bound.clock.nowMs(), bound.reasons], [[0], 10_000, ['deadline']]);
  assert.equal(bound.task.tally.count('no_reply'), 1);
});

test('A29: three attempts of 100 ms with two waits of 10 ms need 320 ms and not 300', async () => {
  const answer: Case['answer'] = ({ count }) => ({ status: count === 3 ? 200 : 503, tookMs: 100 });
  for (const [budgetMs, reasons] of [
    [320, ['done']],
    [300, ['deadline']],
  ] as const) {
    const stage = await play({ policies: [cap(5), fixed(10), within(budgetMs, 100)], answer });
    assert.deepEqual([stage.sentAtMs(), stage.reasons], [[0, 110, 220], reasons]);
    assert.equal(stage.clock.nowMs(), budgetMs);
  }
});

const GATE = { cooldownMs: 30_000, probes: 3, limitsAreFailures: false, whenOpen: 'fail' } as const;
const BREAKERS: readonly PolicySettings[] = [
  { policy: 'consecutive_breaker', threshold: 1, ...GATE },
  { policy: 'circuit_breaker', failureRate: 1, windowMs: 60_000, minCalls: 1, ...GATE },
];

test('A30: half-open with 3 probes, an upstream that hangs 30 s, 1000 calls in 1 s: 3 arrive, 997 are refused at once', async () => {
  // Sent before it opened and answered while it is half-open: enough successes to close it, and a failure.
  const early: Readonly<Record<number, Answer>> = {
    2001: { status: 200, tookMs: 40_000 },
    2002: { status: 200, tookMs: 40_000 },
    2003: { status: 200, tookMs: 40_000 },
    2004: { status: 500, tookMs: 45_000 },
  };
  const opener = 2005;
  const answers: Readonly<Record<number, Answer>> = { ...early, [opener]: { status: 500 } };
  for (const breaker of BREAKERS) {
    const answer: Case['answer'] = ({ item }) => answers[item] ?? { status: 504, tookMs: 30_000 };
    const stage = stageOf({ policies: [breaker, cap(1)], answer, settings: { items: 3000 } });
    const { task, clock } = stage;
    let refused = 0;
    const call = async (item: number, atMs: number) => {
      await clock.sleep(atMs);
      const { reason } = await perform(task, startOperation(task, item, 1));
      if (reason !== 'circuit_open') return;
      assert.equal(clock.nowMs(), atMs, 'refused at once');
      refused++;
    };
    await stage.run(async () => {
      const calls = [...Object.keys(early).map((item) => call(Number(item), 0)), call(opener, 1), call(2006, 90_000)];
      for (let item = 1; item <= 1000; item++) calls.push(call(item, 30_000 + item));
      await Promise.all(calls);
    });
    // The first probe arrived at 30.001 and was answered with a 504 at 60.001: at 90 s it is still open, so one more is refused.
    assert.equal(refused, 998, breaker.policy);
    assert.deepEqual(
      stage.sent.map(({ item }) => item),
      [2001, 2002, 2003, 2004, opener, 1, 2, 3],
    );
    assert.equal(task.tally.count('other'), 3);
  }
});

test('A32: 500, 500, 400, 500, 500, 500 with a threshold of 5: the 400 says nothing, and the seventh call is refused', async () => {
  const statuses = [500, 500, 400, 500, 500, 500, 500];
  const { sent, reasons } = await play({
    policies: [{ policy: 'consecutive_breaker', threshold: 5, ...GATE }, cap(1)],
    answer: ({ item }) => ({ status: statuses[item - 1] ?? 200 }),
    settings: { items: 7 },
  });
  assert.deepEqual([sent.length, reasons.at(-1)], [6, 'circuit_open']);
});

test('A32: a failure is one record: with at least 4 calls to speak of a rate, two failures do not open and four do', async () => {
  const breaker: PolicySettings = {
    policy: 'circuit_breaker',
    failureRate: 0.5,
    windowMs: 60_000,
    minCalls: 4,
    ...GATE,
  };
  for (const answer of [always(500), always(200, 9000)]) {
    // Given up after a second, the second kind of call ends without a reply.
    const policies = [breaker, cap(1), within(1000)];
    const { sent, reasons } = await play({ policies, answer, settings: { items: 6 } });
    assert.equal(sent.length, 4);
    assert.deepEqual(reasons.slice(4), ['circuit_open', 'circuit_open']);
  }
});

test('A32, both ways: a 429 is no failure to a breaker unless it is set to be one', async () => {
  for (const [limitsAreFailures, arrive] of [
    [false, 8],
    [true, 5],
  ] as const) {
    const breaker: PolicySettings = { policy: 'consecutive_breaker', threshold: 5, ...GATE, limitsAreFailures };
    const { sent } = await play({ policies: [breaker, cap(1)], answer: always(429), settings: { items: 8 } });
    assert.equal(sent.length, arrive);
  }
});

test('A41, both ways: one slot, A backs off 1, 2, 4 s, B comes at 0.7: at once when A lets go of it, else after A', async () => {
  // Item 1 is A; item 2 keeps the slot until 0.7; item 3 is B.
  const answer: Case['answer'] = ({ item, count }) => {
    if (item === 1) return { status: count <= 3 ? 503 : 200 };
    return { status: 200, tookMs: item === 2 ? 700 : 0 };
  };
  const backoff: PolicySettings = {
    policy: 'exponential_backoff',
    baseMs: 1000,
    capMs: 60_000,
    jitterMs: [0, 0],
  };
  for (const [holdSlotWhileWaiting, startsOfB] of [
    [false, [700]],
    [true, [7700]],
  ] as const) {
    const stage = await play({
      policies: [cap(4), backoff],
      answer,
      settings: { items: 3 },
      scheduler: { kind: 'checkpointed_items', concurrency: 1, holdSlotWhileWaiting },
    });
    assert.deepEqual(stage.sentAtMs(1), [0, 1000, 3000, 7000], 'A’s attempts are the same');
    assert.deepEqual(stage.sentAtMs(3), startsOfB);
    assert.equal(stage.maxInFlight(), 1);
  }
});
