// A guarded task killed at any moment, again and again, on simulated time: before a write to its store, after it, between a
// call and its result. Whatever the moments, nothing done is asked for again, nothing is overspent, nothing gets lost.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { SimulatedClock } from '../../bench/clocks/simulated-clock.ts';
import { InProcessTransport } from '../../platform-sim/in-process.ts';
import { Platform } from '../../platform-sim/platform.ts';
import type { GateSettings } from '../../platform-sim/profile.ts';
import type { Clock, OutboundRequest } from '../ports.ts';
import { buildPolicies, type PolicySettings } from '../strategies/build-policies.ts';
import { runScheduler } from '../strategies/run-scheduler.ts';
import { Tally } from '../tally.ts';
import { READING, Task, type TaskSettings } from '../task.ts';
import { earlierLives } from './earlier-lives.ts';
import { MemoryStore } from './memory-store.ts';
import { TaskBook } from './task-book.ts';
import type { CallRecord, TaskStore } from './task-store.ts';

fc.configureGlobal({ seed: 20261016 });

class Killed extends Error {}

/** A store whose process dies at a step; each write has one before it and one after. */
function mortal(store: TaskStore, diesAt: number): TaskStore {
  let steps = 0;
  const step = () => {
    if (++steps >= diesAt) throw new Killed();
  };
  const around = <A extends readonly unknown[]>(write: (...args: A) => void) => {
    return (...args: A) => {
      step();
      write(...args);
      step();
    };
  };
  return {
    reserve: around((call) => store.reserve(call)),
    settle: around((ordinal, result, ended) => store.settle(ordinal, result, ended)),
    end: around((ended) => store.end(ended)),
    calls: () => store.calls(),
    endedItems: () => store.endedItems(),
  };
}

/** Goes on at a time, as the wall clock of a next life does. */
function later(clock: SimulatedClock, fromMs: number): Clock {
  return {
    nowMs: () => clock.nowMs() + fromMs,
    dateMs: () => clock.dateMs() + fromMs,
    sleep: (ms, signal) => clock.sleep(ms, signal),
    after: (ms, run) => clock.after(ms, run),
  };
}

const GATES: readonly GateSettings[] = [
  { gate: 'edge_token_bucket', refillPerS: 30, burst: 20, retryAfter: { form: 'seconds' } },
  { gate: 'soft_limit', rate: 0.1, retryAfter: { form: 'seconds', valueS: 2 } },
  { gate: 'billing' },
  { gate: 'fault', rate: 0.2 },
];

const policiesOf = (calls: number, attempts: number): readonly PolicySettings[] => [
  { policy: 'call_budget', calls },
  { policy: 'attempt_cap', attempts },
  { policy: 'exponential_backoff', baseMs: 300, capMs: 5000, jitterMs: [0, 150] },
  {
    policy: 'retry_after',
    tooLong: 'cap',
    limitMs: 10_000,
    floorMs: 0,
    fallbackMs: 3000,
    jitterMs: [0, 0],
    onlyLimits: true,
  },
];

interface Fate {
  readonly seed: number;
  /** Steps after which each life ends; the one after the last goes to the end. */
  readonly deaths: readonly number[];
  readonly budget: number;
  readonly attempts: number;
  readonly holdSlotWhileWaiting: boolean;
  readonly settings?: Partial<TaskSettings>;
  readonly policies?: readonly PolicySettings[];
}

const ITEMS = 40;
const CONCURRENCY = 4;

async function live({ seed, deaths, budget, attempts, holdSlotWhileWaiting, settings, policies = [] }: Fate) {
  const store = new MemoryStore();
  const platform = new Platform(
    { epochMs: 0, latencyMs: [150, 250], rejectionLatencyMs: [10, 30], overheadMs: 2, gates: GATES },
    seed,
  );
  const arrived: OutboundRequest[] = [];
  let stopReason: string | undefined;
  for (const diesAt of [...deaths, Number.POSITIVE_INFINITY]) {
    const earlier = earlierLives(store);
    const clock = new SimulatedClock(0, 1e9);
    const shifted = later(clock, earlier.untilMs);
    const inProcess = new InProcessTransport(platform, {
      nowMs: shifted.nowMs,
      schedule: (delayMs, run, argument) => clock.schedule(delayMs, run, argument),
    });
    const transport = {
      send: (request: OutboundRequest, signal?: AbortSignal) => {
        arrived.push({ ...request });
        return inProcess.send(request, signal);
      },
    };
    const book = new TaskBook(mortal(store, diesAt));
    const task = new Task(
      { client: 'guarded', items: ITEMS, prepMs: 20, ...READING, ...settings },
      { clock: shifted, transport, journal: book },
      buildPolicies([...policiesOf(budget, attempts), ...policies], seed, { spentCalls: earlier.calls }),
      new Tally(),
      book,
    );
    task.takeUp(earlier);
    const scheduler = { kind: 'checkpointed_items', concurrency: CONCURRENCY, holdSlotWhileWaiting } as const;
    try {
      await clock.run(() => runScheduler(task, scheduler));
      stopReason = task.stopReason ?? 'done';
      break;
    } catch (error) {
      if (!(error instanceof Killed)) throw error;
      store.beginLife();
    }
  }
  const ended = new Map([...store.endedItems()].map(({ item, reason }) => [item, reason]));
  return { calls: [...store.calls()], ended, arrived, stopReason };
}

const fates = fc.record({
  seed: fc.nat(1000),
  deaths: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 8 }),
  budget: fc.constantFrom(20, 61, 500),
  attempts: fc.constantFrom(3, 1000),
  holdSlotWhileWaiting: fc.boolean(),
});

function groups(calls: readonly CallRecord[], key: 'item' | 'life'): ReadonlyMap<number, readonly CallRecord[]> {
  const all = new Map<number, CallRecord[]>();
  for (const call of calls) all.set(call[key], [...(all.get(call[key]) ?? []), call]);
  return all;
}

type Lived = Awaited<ReturnType<typeof live>>;

/** What holds whatever the moments of death were. */
const HOLDS: Readonly<Record<string, (lived: Lived, fate: Fate) => void>> = {
  'all items are done within the budget, or the budget is spent to the last call'({ calls, ended, stopReason }, fate) {
    assert.ok(calls.length <= fate.budget, `${calls.length} calls`);
    if (stopReason === 'budget_exceeded') assert.equal(calls.length, fate.budget);
    else if (fate.attempts > 3) assert.deepEqual([...ended.values()], Array(ITEMS).fill('done'));
    else assert.equal(ended.size, ITEMS);
  },
  'no call is sent that is not reserved, and a number is used once'({ calls, arrived }) {
    assert.equal(new Set(arrived.map(({ ordinal }) => ordinal)).size, arrived.length);
    const reserved = new Map(calls.map((call) => [call.ordinal, call.item]));
    for (const { ordinal, item } of arrived) assert.equal(reserved.get(ordinal), item);
  },
  'an item that is done is never asked for again'({ calls }) {
    for (const own of groups(calls, 'item').values())
      for (const { settled } of own.slice(0, -1)) assert.notEqual(settled?.replyClass, 'ok');
  },
  'attempts count on over all lives, up to the cap'({ calls }, { attempts }) {
    for (const own of groups(calls, 'item').values()) {
      const numbers = own.map(({ attempt }) => attempt);
      assert.deepEqual(
        numbers,
        [...numbers.keys()].map((index) => index + 1),
      );
      assert.ok(own.length <= attempts);
    }
  },
  'at most what was in flight is asked for again'({ calls }) {
    const interrupted = calls.filter(({ settled }) => settled === undefined);
    for (const [life, own] of groups(interrupted, 'life')) assert.ok(own.length <= CONCURRENCY, `life ${life}`);
  },
  'no wait is cut short by a death'({ calls }) {
    for (const own of groups(calls, 'item').values()) {
      own.forEach(({ sentMs }, index) => {
        const before = own[index - 1]?.settled;
        if (before !== undefined) assert.ok(sentMs >= before.receivedMs + (before.waitMs ?? 0), `sent at ${sentMs}`);
      });
    }
  },
};

test('killed at any moments: whatever they are, what the task promises holds', async () => {
  await fc.assert(
    fc.asyncProperty(fates, async (fate) => {
      const lived = await live(fate);
      for (const [name, hold] of Object.entries(HOLDS)) {
        try {
          hold(lived, fate);
        } catch (error) {
          throw new Error(name, { cause: error });
        }
      }
    }),
    { numRuns: 60 },
  );
});

const WRITES_ARE_SAFE = { retryStatuses: [429, 500, 503], methodSafety: true, knowsQuota: false } as const;

test('case A21, killed: a write without a key is not repeated after a death, and one with a key keeps its key', async () => {
  const fate: Fate = { seed: 1, deaths: [7, 9, 11], budget: 500, attempts: 1000, holdSlotWhileWaiting: true };
  const safe = { ...fate, policies: [{ policy: 'classification', ...WRITES_ARE_SAFE }] as const };
  const bare = await live({ ...safe, settings: { method: 'POST' } });
  const cut = bare.calls.filter(({ settled }) => settled === undefined);
  assert.ok(cut.length >= 3);
  for (const { item, ordinal } of cut) {
    assert.equal(groups(bare.calls, 'item').get(item)?.at(-1)?.ordinal, ordinal);
    assert.equal(bare.ended.get(item), 'outcome_unknown');
  }
  const keyed = await live({ ...safe, settings: { method: 'POST', idempotencyKeys: true } });
  assert.deepEqual(new Set(keyed.ended.values()), new Set(['done']));
  for (const { item } of keyed.calls.filter(({ settled }) => settled === undefined)) {
    const keys = keyed.arrived.filter((request) => request.item === item).map(({ idempotencyKey }) => idempotencyKey);
    assert.equal(new Set(keys).size, 1);
  }
});
