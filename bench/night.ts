// The central noun: a night. One strategy against one platform on one simulated clock, from the seed to plain data. Tables,
// ledger, reports and statistics are folds over nights; nothing downstream runs one again.

import type { Outcome } from '../clients/outcome.ts';
import type { Transport } from '../clients/ports.ts';
import type { StopReason } from '../clients/stop-reasons.ts';
import { buildPolicies } from '../clients/strategies/build-policies.ts';
import { runScheduler } from '../clients/strategies/run-scheduler.ts';
import { type ClientMinuteRow, Tally } from '../clients/tally.ts';
import { type Progress, Task, type TaskObserver } from '../clients/task.ts';
import { UndiciTransport } from '../clients/undici-transport.ts';
import { serveHttp } from '../platform-sim/http-server.ts';
import { InProcessTransport, type VerdictObserver } from '../platform-sim/in-process.ts';
import type { MinuteRow } from '../platform-sim/meter.ts';
import { Platform } from '../platform-sim/platform.ts';
import type { JoinedMinuteRow } from './books/joined-minutes.ts';
import { withCalendar } from './clocks/client-calendar.ts';
import { LockstepWire } from './clocks/lockstep-wire.ts';
import { SimulatedClock } from './clocks/simulated-clock.ts';
import type { Scenario } from './scenario/scenario.ts';

/** The clocks of simulated time; the third is real time, which wall/ runs. */
export const CLOCKS = ['virtual', 'lockstep'] as const;
export type ClockName = (typeof CLOCKS)[number];

export interface NightSpec {
  readonly scenario: Scenario;
  /** Name of one of the scenario's strategies; also the client's name on the wire. */
  readonly strategy: string;
  readonly seed: number;
  readonly clock: ClockName;
}

/** Watches a night as it happens, for books by request. Costs time, so thousands of nights go without. */
export interface NightObserver {
  readonly verdict: VerdictObserver;
  readonly client: TaskObserver;
}

export interface Night extends ClientBook {
  readonly scenario: string;
  readonly scenarioHash: string;
  readonly strategy: string;
  readonly seed: number;
  readonly clock: ClockName | 'wall';
  /** Of the wall clock: scenario time in a unit of real time. */
  readonly speed?: number;
  readonly platform: PlatformBook;
  /** On real time: what lies between the books, found by request id. */
  readonly joined?: { readonly minutes: readonly JoinedMinuteRow[] };
}

/** The platform's book. */
export interface PlatformBook {
  readonly minutes: readonly MinuteRow[];
  readonly quotaGoneMs: number | undefined;
  readonly callsAfterQuota: number;
}

/** The client's own book. */
export interface ClientBook {
  readonly client: {
    readonly minutes: readonly ClientMinuteRow[];
    readonly waits: Readonly<Record<string, { readonly count: number; readonly plannedMs: number }>>;
    readonly progress: readonly Progress[];
  };
  readonly items: {
    readonly total: number;
    readonly done: number;
    readonly abandoned: number;
    readonly unfinished: number;
  };
  /** Operations of the client: an item in a pass each. */
  readonly operations: { readonly begun: number } & Readonly<Record<Outcome, number>>;
  /** Attempts sent before the time that the server had told. */
  readonly earlyRetries: number;
  readonly stopReason: StopReason;
  /** Scenario time at which the client started and ended. */
  readonly startedMs: number;
  readonly endedMs: number;
}

/**
 * Runs one night to its end.
 * @throws Error when the client makes no progress or passes the scenario's time limit
 */
export async function runNight(spec: NightSpec, observer?: NightObserver): Promise<Night> {
  const { scenario, strategy, seed } = spec;
  const clock = new SimulatedClock(scenario.profile.epochMs, scenario.limits.scenarioTimeMs);
  const platform = new Platform(scenario.profile, seed);
  const settings = scenario.strategies[strategy];
  if (settings === undefined) throw new Error(`scenario ${scenario.name} has no strategy ${strategy}`);
  const wire = await connect(spec, clock, platform, settings.scheduler.concurrency, observer);
  try {
    const { items, prepMs, clientStartMs, calendar } = scenario.task;
    const task = new Task(
      { client: strategy, items, prepMs, ...settings.request },
      { clock: withCalendar(clock, calendar), transport: wire.transport },
      buildPolicies(settings.policies, seed, { chance: settings.chance }),
      new Tally(),
      observer?.client,
    );
    await clock.run(async () => {
      await clock.sleep(clientStartMs);
      await runScheduler(task, settings.scheduler);
    });
    return toNight(spec, platform, task, clientStartMs, clock.nowMs());
  } finally {
    await wire.close();
  }
}

interface Connection {
  readonly transport: Transport;
  close(): Promise<void>;
}

/** Puts client and platform together: in process on the virtual clock, over HTTP in lockstep. */
async function connect(
  { clock: clockName }: NightSpec,
  clock: SimulatedClock,
  platform: Platform,
  connections: number,
  observer: NightObserver | undefined,
): Promise<Connection> {
  if (clockName === 'virtual') {
    return { transport: new InProcessTransport(platform, clock, observer?.verdict), close: async () => {} };
  }
  const wire = new LockstepWire(clock);
  const server = await serveHttp(platform, wire, observer?.verdict);
  const http = new UndiciTransport(server.origin, connections);
  const close = async () => {
    await http.close();
    await server.close();
  };
  return { transport: wire.transport(http), close };
}

function toNight(spec: NightSpec, platform: Platform, task: Task, startedMs: number, endedMs: number): Night {
  return {
    scenario: spec.scenario.name,
    scenarioHash: spec.scenario.hash,
    strategy: spec.strategy,
    seed: spec.seed,
    clock: spec.clock,
    platform: platformBook(platform),
    ...clientBook(task, startedMs, endedMs),
  };
}

export function platformBook({ meter }: Platform): PlatformBook {
  return { minutes: meter.rows(), quotaGoneMs: meter.quotaGoneMs, callsAfterQuota: meter.callsAfterQuota };
}

export function clientBook(task: Task, startedMs: number, endedMs: number): ClientBook {
  const total = task.settings.items;
  const done = task.done.size;
  const abandoned = task.abandoned.size;
  return {
    client: {
      minutes: task.tally.rows(),
      waits: Object.fromEntries(task.tally.waits),
      progress: task.progress,
    },
    items: { total, done, abandoned, unfinished: total - done - abandoned },
    operations: { begun: task.tally.operations, ...task.tally.outcomes },
    earlyRetries: task.tally.earlyRetries,
    stopReason: task.stopReason ?? 'done',
    startedMs,
    endedMs,
  };
}
