// The thread of a client on real time: a task of ours over HTTP, its book, its logs and its records.

import { join } from 'node:path';
import { workerData } from 'node:worker_threads';
import { buildPolicies } from '../../clients/strategies/build-policies.ts';
import { runScheduler } from '../../clients/strategies/run-scheduler.ts';
import type { StrategySettings } from '../../clients/strategies/settings.ts';
import { Tally } from '../../clients/tally.ts';
import { Task, type TaskObserver } from '../../clients/task.ts';
import { AuditLog } from '../books/audit-log.ts';
import { DecisionLog } from '../books/decision-log.ts';
import { JsonLines } from '../books/json-lines.ts';
import { withCalendar } from '../clocks/client-calendar.ts';
import { TIME_LIMIT } from '../clocks/simulated-clock.ts';
import { everyMs, WallClock } from '../clocks/wall-clock.ts';
import { clientBook } from '../night.ts';
import { report, runThread } from './in-thread.ts';
import { LiveCounts } from './live-counts.ts';
import { LoopbackTransport } from './loopback-transport.ts';
import type { WallJob } from './messages.ts';
import type { AttemptRecord } from './records.ts';
import { HealthMonitor } from './worker-health.ts';

/** Between two looks of the screen. */
const LIVE_MS = 200;

const { scenario, strategy, seed, speed, records, folder, live } = workerData as WallJob;
const counts = new LiveCounts(live);
let drain: ((limitMs: number) => void) | undefined;

async function work(originMs: number, url: string): Promise<void> {
  const settings = scenario.strategies[strategy];
  if (settings === undefined) throw new Error(`scenario ${scenario.name} has no strategy ${strategy}`);
  const health = new HealthMonitor();
  const clock = new WallClock({ speed, originMs, epochMs: scenario.profile.epochMs, late: health.late });
  const transport = new LoopbackTransport(url, settings.scheduler.concurrency);
  const books = new ClientRecords();
  const task = makeTask(settings, clock, transport, books);
  drain = (limitMs) => {
    task.stop('cancelled');
    cutAfter(limitMs, task, transport);
  };
  await transport.warmUp(settings.scheduler.concurrency);
  health.start();
  const { clientStartMs } = scenario.task;
  const stopLive = everyMs(LIVE_MS, () => show(task, clock));
  try {
    await task.pause(Math.max(0, clientStartMs - clock.nowMs()));
    await withinLimit(clock, runScheduler(task, settings.scheduler));
  } finally {
    stopLive();
    books.close();
  }
  const endedMs = Math.max(clientStartMs, clock.nowMs());
  await transport.close();
  show(task, clock);
  report({ kind: 'client', book: clientBook(task, clientStartMs, endedMs), health: health.stop() });
}

function makeTask(
  settings: StrategySettings,
  clock: WallClock,
  transport: LoopbackTransport,
  observer: TaskObserver,
): Task {
  const { items, prepMs, calendar } = scenario.task;
  return new Task(
    { client: strategy, items, prepMs, ...settings.request },
    { clock: withCalendar(clock, calendar), transport },
    buildPolicies(settings.policies, seed, { chance: settings.chance }),
    new Tally(),
    observer,
  );
}

/** Replies that are under way get so long in real time; then every attempt is given up. */
function cutAfter(limitMs: number, task: Task, transport: LoopbackTransport): void {
  new WallClock().after(limitMs, () => {
    task.cancel();
    transport.cut().catch((error: unknown) => report({ kind: 'error', code: undefined, message: String(error) }));
  });
}

/** A night that does not end within the scenario's limit is a mistake in the scenario, as on simulated time. */
async function withinLimit(clock: WallClock, night: Promise<void>): Promise<void> {
  const { scenarioTimeMs } = scenario.limits;
  let stopTimer: () => void = () => {};
  const over = new Promise<never>((_, reject) => {
    const wait = () => {
      const leftMs = scenarioTimeMs - clock.nowMs();
      if (leftMs <= 0) reject(new Error(`${TIME_LIMIT}: the night is past the limit of ${scenarioTimeMs} ms`));
      else stopTimer = clock.after(Math.min(leftMs, 60_000), wait);
    };
    wait();
  });
  try {
    await Promise.race([night, over]);
  } finally {
    stopTimer();
  }
}

function show(task: Task, clock: WallClock): void {
  counts.set('done', task.done.size);
  counts.set('abandoned', task.abandoned.size);
  counts.set('attempts', task.tally.attempts);
  counts.set(
    'waits',
    [...task.tally.waits.values()].reduce((sum, { count }) => sum + count, 0),
  );
  counts.set('scenarioMs', clock.nowMs());
}

/** The client's half of the books by request, written as it goes. */
class ClientRecords implements TaskObserver {
  readonly #attempts = new JsonLines(records);
  readonly #audit = new AuditLog(
    new JsonLines(join(folder, 'audit.jsonl')),
    scenario.task.name,
    scenario.task.clientStartMs,
  );
  readonly #decisions = new DecisionLog(
    join(folder, 'decisions.jsonl'),
    scenario.task.name,
    scenario.task.clientStartMs,
  );

  readonly attempt: TaskObserver['attempt'] = (ordinal, result, decision, left) => {
    const { operation, attempt, sentMs, receivedMs, replyClass, reply, noReply } = result;
    if (left.calls !== undefined) counts.set('budgetLeft', left.calls);
    this.#attempts.add({
      ordinal,
      item: operation.item,
      pass: operation.pass,
      attempt,
      sentMs,
      receivedMs,
      ...(reply === undefined ? {} : { status: reply.status }),
      replyClass,
      ...(noReply === undefined ? {} : { noReply }),
      decision,
    } satisfies AttemptRecord);
    this.#audit.attempt(ordinal, result, decision);
    this.#decisions.attempt(ordinal, result, decision, left);
  };

  readonly refused: TaskObserver['refused'] = (operation, nowMs, decision, left) => {
    this.#audit.refused(operation, nowMs, decision);
    this.#decisions.refused(operation, nowMs, decision, left);
  };

  close(): void {
    this.#attempts.close();
    this.#audit.close();
    this.#decisions.close();
  }
}

runThread({
  start: ({ originMs, url = '' }) => work(originMs, url),
  other: (order) => {
    if (order.kind === 'drain') drain?.(order.limitMs);
  },
});
