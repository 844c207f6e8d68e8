// Plays a case of a public bug report through the whole client: policies from their settings, the real driver and scheduler, a
// virtual clock, and a server that answers as the case says. No timer may be set to anything that a timer can not take.

import assert from 'node:assert/strict';
import { SimulatedClock } from '../../bench/clocks/simulated-clock.ts';
import { NoReplyError } from '../../platform-sim/no-reply.ts';
import type { Operation, Stop } from '../policy.ts';
import type { OutboundRequest, Reply, Transport } from '../ports.ts';
import type { ToldWait } from '../retry-after/told-wait.ts';
import { buildPolicies, type PolicySettings } from '../strategies/build-policies.ts';
import { runScheduler } from '../strategies/run-scheduler.ts';
import type { SchedulerSettings } from '../strategies/settings.ts';
import { Tally } from '../tally.ts';
import { READING, Task, type TaskSettings } from '../task.ts';

export const MAX_TIMER_MS = 2 ** 31 - 1;
/** Past any case: 200 longest timers. */
const LIMIT_MS = 200 * MAX_TIMER_MS;

/** A request as it meets the server. */
export interface Asked {
  readonly item: number;
  /** Of this item, from 1. */
  readonly count: number;
  readonly atMs: number;
}

export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long it takes; 0 when left out. */
  readonly tookMs?: number;
}

export interface Case {
  readonly policies: readonly PolicySettings[];
  readonly answer: (asked: Asked) => Answer;
  readonly settings?: Partial<TaskSettings>;
  /** One item at a time, its slot kept while it waits, when left out. */
  readonly scheduler?: SchedulerSettings;
  /** Calendar at the start, ms since 1970. */
  readonly epochMs?: number;
}

/** Takes down every delay that is asked for, the server's included, and refuses none: that is the test's to do. */
class TimerLog extends SimulatedClock {
  readonly delaysMs: number[] = [];

  override schedule<T>(delayMs: number, run: (argument: T) => void, argument: T): void {
    this.delaysMs.push(delayMs);
    super.schedule(delayMs, run, argument);
  }
}

export interface Stage {
  readonly clock: SimulatedClock;
  readonly task: Task;
  /** Every request, in the order of sending. */
  readonly sent: readonly (Asked & Pick<OutboundRequest, 'idempotencyKey'>)[];
  /** What each reply said about waiting, as the client understood it. */
  readonly tolds: readonly ToldWait[];
  /** Why operations stopped, the successful ones included. */
  readonly reasons: readonly Stop['reason'][];
  /** Times of sending of an item. */
  sentAtMs(item?: number): number[];
  /** Requests under way at once, at most. */
  maxInFlight(): number;
  /** Runs `main` to its end; then checks the timers. */
  run<T>(main: () => Promise<T>): Promise<T>;
}

/** Sets a case up, for cases whose requests arrive at times of their own. */
export function stageOf({ policies, answer, settings, epochMs = 0 }: Omit<Case, 'scheduler'>): Stage {
  const clock = new TimerLog(epochMs, LIMIT_MS);
  const sent: (Asked & Pick<OutboundRequest, 'idempotencyKey'>)[] = [];
  const counts = new Map<number, number>();
  let inFlight = 0;
  let most = 0;
  const transport: Transport = {
    async send({ item, idempotencyKey }, signal): Promise<Reply> {
      const count = (counts.get(item) ?? 0) + 1;
      counts.set(item, count);
      const asked = { item, count, atMs: clock.nowMs() };
      sent.push({ ...asked, idempotencyKey });
      const { status, headers = {}, tookMs = 0 } = answer(asked);
      most = Math.max(most, ++inFlight);
      await clock.sleep(tookMs, signal);
      inFlight--;
      if (signal?.aborted === true) throw new NoReplyError('cancelled');
      return { status, headers, body: '' };
    },
  };
  const tolds: ToldWait[] = [];
  const reasons: Stop['reason'][] = [];
  const task = new Task(
    { client: 'case', items: 1, prepMs: 0, ...READING, ...settings },
    { clock, transport },
    buildPolicies(policies, 1),
    new Tally(),
    {
      attempt(_ordinal, { told }, decision) {
        tolds.push(told);
        if (decision.kind === 'stop') reasons.push(decision.reason);
      },
      refused(_operation: Operation, _nowMs, decision) {
        if (decision.kind === 'stop') reasons.push(decision.reason);
      },
    },
  );
  const sentAtMs = (item = 1) => sent.filter((each) => each.item === item).map(({ atMs }) => atMs);
  const run = async <T>(main: () => Promise<T>): Promise<T> => {
    const value = await clock.run(main);
    for (const delayMs of clock.delaysMs)
      assert.ok(delayMs >= 0 && delayMs <= MAX_TIMER_MS, `a timer was set to ${delayMs} ms`);
    return value;
  };
  return { clock, task, sent, tolds, reasons, sentAtMs, maxInFlight: () => most, run };
}

const ONE_BY_ONE: SchedulerSettings = { kind: 'checkpointed_items', concurrency: 1, holdSlotWhileWaiting: true };

/** Plays a case to its end. */
export async function play({ scheduler = ONE_BY_ONE, ...setup }: Case): Promise<Stage> {
  const stage = stageOf(setup);
  await stage.run(() => runScheduler(stage.task, scheduler));
  return stage;
}

const OK: Answer = { status: 200 };

/** Answers a 429 with these headers first, and then well; or always, up to the given number. */
export function limited(headers: Readonly<Record<string, string>>, times = 1): (asked: Asked) => Answer {
  return ({ count }) => (count <= times ? { status: 429, headers } : OK);
}
