// Holds what the driver counts besides attempts: early retries, answers of the cache, refused successes, and outcomes that
// add up to the operations begun.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { SimulatedClock } from '../bench/clocks/simulated-clock.ts';
import { type NoReplyCause, NoReplyError } from '../platform-sim/no-reply.ts';
import { perform, startOperation } from './driver.ts';
import { OUTCOMES } from './outcome.ts';
import { attemptCap } from './policies/attempt-cap.ts';
import { callBudget } from './policies/call-budget.ts';
import { classification } from './policies/classification.ts';
import { deadline } from './policies/deadline.ts';
import { fixedBackoff } from './policies/fixed-backoff.ts';
import { immediate } from './policies/immediate.ts';
import { quotaStop } from './policies/quota-stop.ts';
import { type Policy, REPLY_CLASSES, type ReplyClass } from './policy.ts';
import type { Reply, Transport } from './ports.ts';
import { runScheduler } from './strategies/run-scheduler.ts';
import type { SchedulerSettings } from './strategies/settings.ts';
import { Tally } from './tally.ts';
import { READING, Task, type TaskObserver, type TaskSettings } from './task.ts';
import { causeOf, replyOf } from './testing.ts';

fc.configureGlobal({ seed: 20261016 });

/** What the `count`-th request for an item comes back as, after 10 ms. */
type Answers = (item: number, count: number) => Reply | NoReplyCause;

interface Setup {
  readonly answers: Answers;
  readonly policies: readonly Policy[];
  readonly settings?: Partial<TaskSettings>;
  readonly observer?: TaskObserver;
}

function stageOf({ answers, policies, settings, observer }: Setup) {
  const clock = new SimulatedClock(0, 1e9);
  const sent: number[] = [];
  const transport: Transport = {
    async send({ item }, signal) {
      sent.push(item);
      const count = sent.filter((other) => other === item).length;
      await clock.sleep(10, signal);
      const answer = answers(item, count);
      if (signal?.aborted === true) throw new NoReplyError('cancelled');
      if (typeof answer === 'string') throw new NoReplyError(answer);
      return answer;
    },
  };
  const whole = { client: 'tested', items: 1, prepMs: 0, ...READING, ...settings };
  const task = new Task(whole, { clock, transport }, policies, new Tally(), observer);
  return { clock, task, sent };
}

const LIMITED = replyOf('limit429', { 'retry-after': '2' });
const OK = replyOf('ok');
const firstLimited: Answers = (_, count) => (count === 1 ? LIMITED : OK);

async function earlyRetries(setup: Setup, passes: readonly number[] = [1]): Promise<number> {
  const { clock, task } = stageOf(setup);
  await clock.run(async () => {
    for (const pass of passes) await perform(task, startOperation(task, 1, pass));
  });
  return task.tally.earlyRetries;
}

test('a retry earlier than told is counted once an attempt; one that waits as told is not', async () => {
  for (const [policy, expected] of [
    [immediate(), 1],
    [fixedBackoff({ waitMs: 1999 }), 1],
    [fixedBackoff({ waitMs: 2000 }), 0],
  ] as const) {
    assert.equal(await earlyRetries({ answers: firstLimited, policies: [policy] }), expected);
  }
  const always: Answers = () => LIMITED;
  assert.equal(await earlyRetries({ answers: always, policies: [attemptCap(4), immediate()] }), 3);
});

test('a later pass for the same item is held to what the server had told an earlier one', async () => {
  const policies = [attemptCap(1)];
  assert.equal(await earlyRetries({ answers: firstLimited, policies }, [1, 2]), 1);
  const untold: Answers = (_, count) => (count === 1 ? replyOf('limit429') : OK);
  assert.equal(await earlyRetries({ answers: untold, policies }, [1, 2]), 0);
});

test('watching a client changes none of its counts, early retries after a success included', async () => {
  const observer: TaskObserver = { attempt: () => {}, refused: () => {} };
  const setup: Setup = { answers: firstLimited, policies: [immediate()] };
  assert.equal(await earlyRetries({ ...setup, observer }, [1, 2, 3]), await earlyRetries(setup, [1, 2, 3]));
});

const REPLAY: SchedulerSettings = {
  kind: 'replay_batches',
  concurrency: 2,
  batchSize: 4,
  maxPasses: 3,
  pauseAfterPassMs: 100,
  skipDone: false,
};

test('with a cache a replayed batch answers the items that are done without a call', async () => {
  const answers: Answers = (item, count) => (item === 2 && count < 3 ? replyOf('error500') : OK);
  for (const [cacheEntries, calls] of [
    [0, [3, 3, 3, 3]],
    [100, [1, 3, 1, 1]],
  ] as const) {
    const { clock, task, sent } = stageOf({ answers, policies: [attemptCap(1)], settings: { items: 4, cacheEntries } });
    await clock.run(() => runScheduler(task, REPLAY));
    assert.deepEqual(
      [1, 2, 3, 4].map((item) => sent.filter((other) => other === item).length),
      calls,
    );
    assert.deepEqual([...task.done], [1, 2, 3, 4]);
    assert.equal(task.tally.attempts, sent.length);
    assert.equal(task.tally.operations, 12);
    assert.deepEqual(task.tally.outcomes, { success: 10, failure: 2, unknown: 0, not_sent: 0 });
    assert.equal(task.cache?.hits ?? 0, cacheEntries === 0 ? 0 : 6);
  }
});

test('a success that is not accepted ends as validation_failed, is not retried, and is no success in the books', async () => {
  for (const status of [200, 201]) {
    const { clock, task, sent } = stageOf({
      answers: () => ({ ...OK, status }),
      policies: [attemptCap(4), immediate()],
      settings: { cacheEntries: 10 },
    });
    task.accepts = ({ body }) => body !== OK.body;
    const stop = await clock.run(() => perform(task, startOperation(task, 1, 1)));
    assert.deepEqual(stop, { kind: 'stop', reason: 'validation_failed', scope: 'operation' });
    assert.deepEqual([sent, [...task.done], task.cache?.size], [[1], [], 0]);
    assert.deepEqual([task.tally.count('ok'), task.tally.count('other')], [0, 1]);
    assert.deepEqual(task.tally.outcomes, { success: 0, failure: 1, unknown: 0, not_sent: 0 });
  }
});

test('only successes are shown to accepts, and one that is accepted is done', async () => {
  const shown: number[] = [];
  const answers: Answers = (_, count) => [replyOf('error500'), replyOf('other'), OK][count - 1] ?? OK;
  const { clock, task } = stageOf({ answers, policies: [immediate()] });
  task.accepts = ({ status }) => shown.push(status) > 0;
  assert.equal((await clock.run(() => perform(task, startOperation(task, 1, 1)))).reason, 'done');
  assert.deepEqual(shown, [200]);
});

/** A write without a key, tried again whatever comes back but what can never pass: what it sent, why it ended, and how. */
async function write(answers: readonly (Reply | NoReplyCause)[], attempts = answers.length) {
  const results: [ReplyClass, NoReplyCause | undefined][] = [];
  const settling: Policy = {
    name: 'settling',
    settle: ({ replyClass, noReply }) => results.push([replyClass, noReply]),
  };
  const { clock, task } = stageOf({
    answers: (_, count) => answers[count - 1] ?? OK,
    policies: [
      settling,
      classification({ retryStatuses: [429, 500, 503], methodSafety: false, knowsQuota: true }),
      attemptCap(attempts),
      immediate(),
    ],
    settings: { method: 'POST' },
  });
  const { reason } = await clock.run(() => perform(task, startOperation(task, 1, 1)));
  return { results, reason, outcomes: task.tally.outcomes };
}

const NONE = { success: 0, failure: 0, unknown: 0, not_sent: 0 };

test('policies are told why no reply came, and the books whether the request arrived', async () => {
  const { results, outcomes } = await write(['reset', 'cancelled', 'connect_failure', 'connect_failure', OK], 9);
  assert.deepEqual(results, [
    ['no_reply', 'reset'],
    ['no_reply', 'cancelled'],
    ['never_arrived', 'connect_failure'],
    ['never_arrived', 'connect_failure'],
    ['ok', undefined],
  ]);
  assert.deepEqual(outcomes, { ...NONE, success: 1 });
});

test('a write that never arrived has failed; after one that was cut, or broke inside, it stays unknown', async () => {
  const broken = replyOf('error503');
  for (const [answers, outcome, reason] of [
    [['connect_failure', 'connect_failure'], 'failure', 'attempts_exhausted'],
    [['connect_impossible'], 'failure', 'permanent_failure'],
    [['reset', 'connect_failure'], 'unknown', 'attempts_exhausted'],
    [['reset', 'connect_impossible'], 'unknown', 'permanent_failure'],
    [['reset', LIMITED], 'unknown', 'attempts_exhausted'],
    [['cancelled', LIMITED], 'unknown', 'attempts_exhausted'],
    [[broken, 'connect_failure'], 'unknown', 'attempts_exhausted'],
    [[LIMITED, 'connect_failure'], 'failure', 'attempts_exhausted'],
  ] as const) {
    const ended = await write(answers);
    const which = answers.map((each) => (typeof each === 'string' ? each : each.status)).join();
    assert.deepEqual([ended.outcomes, ended.reason], [{ ...NONE, [outcome]: 1 }, reason], which);
  }
});

test('outcomes add up to the operations begun, successes to the items done, whatever comes back', async () => {
  const classes = fc.constantFrom<ReplyClass>(...REPLY_CLASSES);
  const drawn = fc.record({
    scripts: fc.array(fc.array(classes, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 6 }),
    budget: fc.integer({ min: 0, max: 40 }),
    keys: fc.boolean(),
    hold: fc.boolean(),
    cancelAtMs: fc.option(fc.nat(400)),
  });
  await fc.assert(
    fc.asyncProperty(drawn, async ({ scripts, budget, keys, hold, cancelAtMs }) => {
      const answers: Answers = (item, count) => {
        const script = scripts[item - 1] ?? [];
        const replyClass = script[(count - 1) % script.length] ?? 'ok';
        return causeOf(replyClass) ?? replyOf(replyClass, { 'retry-after': '1' });
      };
      const { clock, task } = stageOf({
        answers,
        settings: { items: scripts.length, prepMs: 5, method: 'POST', idempotencyKeys: keys },
        policies: [
          callBudget(budget),
          quotaStop(),
          classification({ retryStatuses: [429, 500, 503], methodSafety: true, knowsQuota: true }),
          attemptCap(3),
          fixedBackoff({ waitMs: 40 }),
          deadline({ budgetMs: 90, reserveMs: 0, attemptMs: 50 }),
        ],
      });
      await clock.run(async () => {
        const run = runScheduler(task, { kind: 'checkpointed_items', concurrency: 2, holdSlotWhileWaiting: hold });
        if (cancelAtMs !== null) void clock.sleep(cancelAtMs).then(() => task.cancel());
        await run;
      });
      const { operations, outcomes } = task.tally;
      assert.equal(
        OUTCOMES.reduce((sum, name) => sum + outcomes[name], 0),
        operations,
      );
      assert.equal(outcomes.success, task.done.size);
      assert.equal(
        task.tally.attempts,
        Object.values(task.tally.totals()).reduce((sum, each) => sum + each, 0),
      );
    }),
    { numRuns: 150 },
  );
});
