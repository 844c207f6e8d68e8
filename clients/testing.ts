// Shared by the tests of the clients: operations and results by hand, a transport that answers by a script, and a task run
// to its end. Nothing here knows which clock it runs on.

import { NO_REPLY_CAUSES, type NoReplyCause } from '../platform-sim/no-reply.ts';
import { classifyNoReply } from './classify.ts';
import type { AttemptResult, Decision, Operation, Policy, ReplyClass } from './policy.ts';
import type { Clock, OutboundRequest, Reply, Transport } from './ports.ts';
import { runScheduler } from './strategies/run-scheduler.ts';
import type { SchedulerSettings } from './strategies/settings.ts';
import { Tally } from './tally.ts';
import { READING, Task } from './task.ts';

export const STATUS: Readonly<Record<ReplyClass, number>> = {
  ok: 200,
  limit429: 429,
  quota429: 429,
  error500: 500,
  error503: 503,
  other: 404,
  no_reply: 0,
  never_arrived: 0,
};

/** A reply that is classified as asked. */
export function replyOf(replyClass: ReplyClass, headers: Readonly<Record<string, string>> = {}): Reply {
  const kind: Record<string, string> =
    replyClass === 'quota429'
      ? { 'x-limit-kind': 'quota' }
      : replyClass === 'limit429'
        ? { 'x-limit-kind': 'edge' }
        : {};
  return { status: STATUS[replyClass], headers: { ...kind, ...headers }, body: '' };
}

export function operationOf(item = 1, attempts = 1): Operation {
  return {
    client: 'tested',
    item,
    host: 'platform',
    pass: 1,
    startedMs: 0,
    method: 'GET',
    idempotencyKey: undefined,
    attempts,
    ordinal: attempts,
    sentMs: 0,
    firstSentMs: undefined,
    previousWaitMs: 0,
    last: undefined,
    inDoubt: false,
  };
}

/** A cause that makes an attempt one of the class; undefined for the classes of replies. */
export function causeOf(replyClass: ReplyClass): NoReplyCause | undefined {
  return NO_REPLY_CAUSES.find((cause) => classifyNoReply(cause) === replyClass);
}

export function resultOf(replyClass: ReplyClass, changes: Partial<AttemptResult> = {}): AttemptResult {
  const attempt = changes.attempt ?? 1;
  const noReply = causeOf(replyClass);
  return {
    operation: operationOf(1, attempt),
    attempt,
    sentMs: 0,
    receivedMs: 0,
    replyClass,
    reply: noReply === undefined ? replyOf(replyClass) : undefined,
    noReply,
    told: { kind: 'absent' },
    ...changes,
  };
}

/** The length of a wait; anything but a retry fails the test. */
export function waitOf(decision: Decision | undefined): number {
  if (decision?.kind !== 'retry') throw new Error(`a wait was expected, not ${JSON.stringify(decision)}`);
  return decision.waitMs;
}

/** What the `count`-th request for an item comes back as; an error makes the transport reject. */
export type Script = (item: number, count: number) => ReplyClass | Error;

export interface Sent {
  readonly item: number;
  readonly ordinal: number;
  readonly atMs: number;
}

export class ScriptedTransport implements Transport {
  readonly sent: Sent[] = [];
  maxInFlight = 0;
  readonly #clock: Clock;
  readonly #script: Script;
  readonly #latencyMs: (item: number) => number;
  readonly #counts = new Map<number, number>();
  #inFlight = 0;

  constructor(clock: Clock, script: Script, latencyMs: (item: number) => number) {
    this.#clock = clock;
    this.#script = script;
    this.#latencyMs = latencyMs;
  }

  /** Requests sent for an item. */
  count(item: number): number {
    return this.#counts.get(item) ?? 0;
  }

  async send({ item, ordinal }: OutboundRequest): Promise<Reply> {
    this.sent.push({ item, ordinal, atMs: this.#clock.nowMs() });
    const count = this.count(item) + 1;
    this.#counts.set(item, count);
    this.maxInFlight = Math.max(this.maxInFlight, ++this.#inFlight);
    await this.#clock.sleep(this.#latencyMs(item));
    this.#inFlight--;
    const answer = this.#script(item, count);
    if (answer instanceof Error) throw answer;
    return replyOf(answer);
  }
}

export interface Trial {
  readonly items: number;
  readonly script: Script;
  readonly policies: readonly Policy[];
  readonly prepMs?: number;
  readonly latencyMs?: (item: number) => number;
}

export interface Stage {
  readonly task: Task;
  readonly transport: ScriptedTransport;
}

export function stageOf(clock: Clock, { items, script, policies, prepMs = 0, latencyMs = () => 10 }: Trial): Stage {
  const transport = new ScriptedTransport(clock, script, latencyMs);
  const task = new Task({ client: 'tested', items, prepMs, ...READING }, { clock, transport }, policies, new Tally());
  return { task, transport };
}

/** Runs a task to its end on a clock that was made for it. */
export async function runTrial(
  clock: Clock & { run<T>(main: () => Promise<T>): Promise<T> },
  scheduler: SchedulerSettings,
  trial: Trial,
): Promise<Stage> {
  const stage = stageOf(clock, trial);
  await clock.run(() => runScheduler(stage.task, scheduler));
  return stage;
}
