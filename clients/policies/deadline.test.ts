// Holds the budget of time: which wait still fits, which attempt may start, when it is given up, and that no schedule goes
// past the deadline (cases A13 and A29).

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { SimulatedClock } from '../../bench/clocks/simulated-clock.ts';
import { NoReplyError } from '../../platform-sim/no-reply.ts';
import { perform, startOperation } from '../driver.ts';
import type { Operation, Policy, Retry } from '../policy.ts';
import type { Clock, Transport } from '../ports.ts';
import { Tally } from '../tally.ts';
import { READING, Task } from '../task.ts';
import { operationOf, resultOf } from '../testing.ts';
import { type DeadlineSettings, deadline } from './deadline.ts';
import { fixedBackoff } from './fixed-backoff.ts';
import { immediate } from './immediate.ts';
import { retryAfter } from './retry-after.ts';

fc.configureGlobal({ seed: 20261016 });

const settingsOf = (changes: Partial<DeadlineSettings>): DeadlineSettings => {
  return { budgetMs: 10_000, reserveMs: 0, attemptMs: null, ...changes };
};
const stopped = (reason: string) => ({ kind: 'stop', reason, scope: 'operation' });
const backoff = (waitMs: number): Retry => ({ kind: 'retry', waitMs, because: 'backoff' });
const begun = (firstSentMs: number): Operation => ({ ...operationOf(), firstSentMs });

function decide(settings: Partial<DeadlineSettings>, receivedMs: number, proposal: Retry | undefined) {
  return deadline(settingsOf(settings)).decide?.(resultOf('error503', { operation: begun(0), receivedMs }), proposal);
}

/** Replies with 503 after the latency of its place, as long as nobody gives up on it. */
function failing(clock: SimulatedClock, latencyMs: (count: number) => number, headers: Record<string, string> = {}) {
  const sentAtMs: number[] = [];
  const transport: Transport = {
    async send(_, signal) {
      const count = sentAtMs.push(clock.nowMs());
      await clock.sleep(latencyMs(count), signal);
      if (signal?.aborted === true) throw new NoReplyError('cancelled');
      return { status: 503, headers, body: '' };
    },
  };
  return { transport, sentAtMs };
}

interface Schedule {
  readonly settings: Partial<DeadlineSettings>;
  readonly policies: readonly Policy[];
  readonly latencyMs: (count: number) => number;
  readonly headers?: Record<string, string>;
  readonly prepMs?: number;
  /** Waits between attempts take so much longer than they were meant to. */
  readonly wakesLateMs?: number;
}

async function operate({ settings, policies, latencyMs, headers, prepMs = 0, wakesLateMs = 0 }: Schedule) {
  const clock = new SimulatedClock(0, 1e9);
  const { transport, sentAtMs } = failing(clock, latencyMs, headers);
  const all = [...policies, deadline(settingsOf(settings))];
  const late: Clock = {
    nowMs: () => clock.nowMs(),
    dateMs: () => clock.dateMs(),
    after: (ms, run) => clock.after(ms, run),
    sleep: (ms, signal) => clock.sleep(signal === undefined ? ms : ms + wakesLateMs, signal),
  };
  const ports = { clock: late, transport };
  const task = new Task({ client: 'tested', items: 1, prepMs, ...READING }, ports, all, new Tally());
  const stop = await clock.run(() => perform(task, startOperation(task, 1, 1)));
  return { reason: stop.reason, sentAtMs, endMs: clock.nowMs(), noReply: task.tally.count('no_reply') };
}

const OBEYS = retryAfter(
  { tooLong: 'never_shorten', limitMs: 1e6, floorMs: 0, fallbackMs: null, jitterMs: [0, 0], onlyLimits: false },
  () => 0,
);

test('case A13: budget 10, 503 with Retry-After 200 at 0.1: one request, stopped at 0.1, and no sleep', async () => {
  const headers = { 'retry-after': '200' };
  const ended = await operate({ settings: {}, policies: [immediate(), OBEYS], latencyMs: () => 100, headers });
  assert.deepEqual(ended, { reason: 'retry_after_exceeds_deadline', sentAtMs: [0], endMs: 100, noReply: 0 });
});

test('case A13, the boundary: budget 20 with 4 in reserve, at 14 a wait of 4 stops and a wait of 2 goes', () => {
  const settings = { budgetMs: 20_000, reserveMs: 4000 };
  for (const because of ['backoff', 'retry_after', 'retry_after_fallback']) {
    assert.deepEqual(decide(settings, 14_000, { kind: 'retry', waitMs: 4000, because }), stopped('deadline'));
    const fits = { kind: 'retry', waitMs: 2000, because } as const;
    assert.equal(decide(settings, 14_000, fits), fits);
    assert.deepEqual(decide(settings, 14_000, { ...fits, waitMs: 2001 }), stopped('deadline'));
  }
});

test('a wait of the server that ends after the deadline has a reason of its own; one that ends at it leaves no time', () => {
  const told = (waitMs: number): Retry => ({ kind: 'retry', waitMs, because: 'retry_after' });
  assert.deepEqual(decide({}, 3000, told(7001)), stopped('retry_after_exceeds_deadline'));
  assert.deepEqual(decide({}, 3000, told(7000)), stopped('deadline'));
  assert.deepEqual(decide({}, 3000, told(6999)), told(6999));
  assert.deepEqual(decide({}, 3000, backoff(7001)), stopped('deadline'), 'a wait of ours');
  assert.equal(decide({}, 9999, undefined), undefined, 'no opinion of its own');
});

test('an attempt starts while its reserve fits; the first always has the whole budget', () => {
  const admits = (settings: Partial<DeadlineSettings>, operation: Operation, nowMs: number) =>
    deadline(settingsOf(settings)).admit?.(operation, nowMs);
  assert.equal(admits({}, operationOf(), 1e6), undefined);
  assert.deepEqual(admits({ reserveMs: 10_001 }, operationOf(), 0), stopped('deadline'), 'a reserve that never fits');
  assert.equal(admits({ reserveMs: 4000 }, begun(500), 6500), undefined);
  assert.deepEqual(admits({ reserveMs: 4000 }, begun(500), 6501), stopped('deadline'));
  assert.equal(admits({}, begun(500), 10_499), undefined);
  assert.deepEqual(admits({}, begun(500), 10_500), stopped('deadline'), 'no time is left to hear of it');
});

test('an attempt may take its limit, or what is left of the budget', () => {
  const limitOf = (attemptMs: number | null, nowMs: number) =>
    deadline(settingsOf({ attemptMs })).attemptLimitMs?.(begun(500), nowMs);
  assert.deepEqual([limitOf(null, 500), limitOf(null, 9000), limitOf(null, 10_500)], [10_000, 1500, 0]);
  assert.deepEqual([limitOf(4000, 500), limitOf(4000, 6500), limitOf(4000, 9000)], [4000, 4000, 1500]);
  assert.deepEqual(deadline(settingsOf({})).budgetLeft?.(begun(500), 9000), { deadline_ms: 1500 });
  assert.deepEqual(deadline(settingsOf({})).budgetLeft?.(operationOf(), 9000), { deadline_ms: 10_000 });
});

test('case A29: total 10, an attempt takes 3 and fails, wait 3: attempts at 0 and 6, stopped at 9', async () => {
  const policies = [fixedBackoff({ waitMs: 3000 })];
  const ended = await operate({ settings: {}, policies, latencyMs: () => 3000 });
  assert.deepEqual(ended, { reason: 'deadline', sentAtMs: [0, 6000], endMs: 9000, noReply: 0 });
});

test('case A29: an attempt in flight at 10 is cancelled at 10; the next of a series has what is left, not a fresh limit', async () => {
  const policies = [fixedBackoff({ waitMs: 4500 })];
  const cut = await operate({ settings: {}, policies, latencyMs: () => 3000 });
  assert.deepEqual(cut, { reason: 'deadline', sentAtMs: [0, 7500], endMs: 10_000, noReply: 1 });
  const hanging = { settings: { attemptMs: 4000 }, policies: [immediate()], latencyMs: () => 60_000 };
  assert.deepEqual(await operate(hanging), {
    reason: 'deadline',
    sentAtMs: [0, 4000, 8000],
    endMs: 10_000,
    noReply: 3,
  });
});

test('a wait must leave room for the preparation too: decided when it is asked for, and nothing is slept in vain', async () => {
  const ends = async (waitMs: number, reserveMs = 0) => {
    const policies = [fixedBackoff({ waitMs })];
    const settings = { budgetMs: 1000, reserveMs };
    const { sentAtMs, endMs, reason } = await operate({ settings, policies, latencyMs: () => 100, prepMs: 300 });
    assert.equal(reason, 'deadline');
    return [sentAtMs.length, endMs];
  };
  // Prepared from 0, sent at 300, so that the deadline is 1,300; the reply comes at 400.
  assert.deepEqual(await ends(599), [2, 1300], 'sent at 1,299 and given up at the deadline');
  assert.deepEqual(await ends(600), [1, 400]);
  assert.deepEqual(await ends(200, 400), [2, 1000], 'sent at 900, with 400 left; the second reply ends it');
  assert.deepEqual(await ends(201, 400), [1, 400]);
});

test('woken too late to prepare: stopped where it wakes, and not prepared', async () => {
  for (const [lateMs, expected] of [
    [299, [2, 1300]],
    [300, [1, 1000]],
    [900, [1, 1600]],
  ] as const) {
    const policies = [fixedBackoff({ waitMs: 300 })];
    const settings = { budgetMs: 1000 };
    const late = { settings, policies, latencyMs: () => 100, prepMs: 300, wakesLateMs: lateMs };
    const { reason, sentAtMs, endMs } = await operate(late);
    assert.deepEqual([reason, sentAtMs.length, endMs], ['deadline', ...expected], `${lateMs} ms late`);
  }
});

interface Drawn extends DeadlineSettings {
  readonly prepMs: number;
  readonly waitMs: number;
  readonly toldS: number | null;
  readonly latenciesMs: readonly number[];
}

const schedule: fc.Arbitrary<Drawn> = fc.record({
  budgetMs: fc.integer({ min: 1, max: 20_000 }),
  reserveMs: fc.nat(6000),
  attemptMs: fc.option(fc.integer({ min: 1, max: 8000 })),
  prepMs: fc.nat(300),
  waitMs: fc.integer({ min: 1, max: 5000 }),
  toldS: fc.option(fc.nat(12)),
  latenciesMs: fc.array(fc.nat(9000), { minLength: 1, maxLength: 8 }),
});

async function scheduled({ waitMs, toldS, latenciesMs, prepMs, ...settings }: Drawn) {
  return operate({
    settings,
    policies: [fixedBackoff({ waitMs }), OBEYS],
    latencyMs: (count) => latenciesMs[count % latenciesMs.length] ?? 0,
    prepMs,
    ...(toldS === null ? {} : { headers: { 'retry-after': String(toldS) } }),
  });
}

test('no schedule sends after the deadline, or with less than the reserve left', async () => {
  await fc.assert(
    fc.asyncProperty(schedule, async (each) => {
      const { sentAtMs } = await scheduled(each);
      const endMs = (sentAtMs[0] ?? 0) + each.budgetMs;
      for (const atMs of sentAtMs) assert.ok(atMs < endMs && atMs + each.reserveMs <= endMs, `${atMs} of ${endMs}`);
    }),
    { numRuns: 200 },
  );
});

test('no schedule ends after the deadline, whatever the preparation takes', async () => {
  await fc.assert(
    fc.asyncProperty(schedule, async (each) => {
      const { sentAtMs, endMs } = await scheduled(each);
      // A first attempt that never fits is prepared all the same: its time would have begun with it.
      assert.ok(endMs <= (sentAtMs[0] ?? each.prepMs) + each.budgetMs);
    }),
    { numRuns: 200 },
  );
});
