// A task that outlives its process: one strategy against an endpoint, with every call on record before it is sent. Started again,
// it goes on where its state says.

import { earlierLives } from '../../clients/durable/earlier-lives.ts';
import { TaskBook } from '../../clients/durable/task-book.ts';
import type { Clock, Transport } from '../../clients/ports.ts';
import { buildPolicies } from '../../clients/strategies/build-policies.ts';
import { runScheduler } from '../../clients/strategies/run-scheduler.ts';
import type { StrategySettings } from '../../clients/strategies/settings.ts';
import { Tally } from '../../clients/tally.ts';
import { Task, type TaskObserver } from '../../clients/task.ts';
import type { StateFile } from './state-file.ts';

/** What a task is: another life must be given the same. */
export interface DurableTask {
  readonly name: string;
  /** Name of the strategy, and of the client on the wire. */
  readonly client: string;
  readonly strategy: StrategySettings;
  readonly items: number;
  readonly prepMs: number;
  readonly seed: number;
}

export interface DurablePorts {
  /** Begins at the scenario time at which the earlier lives ended. */
  readonly clock: (startMs: number) => Clock;
  readonly transport: Transport;
  readonly observers: readonly TaskObserver[];
  /** Given the task when it runs: to stop it from outside. */
  readonly running: (task: Task) => void;
}

/**
 * Runs the next life of a task, to its end or until it is stopped.
 * @returns why it ended; `done` when every item has
 * @throws StateWriteError when a call can not be put on record; then it is not sent
 */
export async function runLife(settings: DurableTask, state: StateFile, ports: DurablePorts): Promise<string> {
  const { client, items, prepMs, strategy, seed } = settings;
  const earlier = earlierLives(state);
  state.beginLife();
  const book = new TaskBook(state);
  const clock = ports.clock(earlier.untilMs);
  const task = new Task(
    { client, items, prepMs, ...strategy.request },
    { clock, transport: ports.transport, journal: book },
    buildPolicies(strategy.policies, seed, { spentCalls: earlier.calls, chance: strategy.chance }),
    new Tally(),
    // The state first: what another observer says of a call is no earlier than what is on record.
    allOf([book, ...ports.observers]),
  );
  task.takeUp(earlier);
  ports.running(task);
  await runScheduler(task, strategy.scheduler);
  const reason = task.stopReason ?? 'done';
  state.endLife(reason);
  return reason;
}

function allOf(observers: readonly TaskObserver[]): TaskObserver {
  return {
    attempt: (...args) => {
      for (const observer of observers) observer.attempt(...args);
    },
    refused: (...args) => {
      for (const observer of observers) observer.refused(...args);
    },
    interrupted: (...args) => {
      for (const observer of observers) observer.interrupted?.(...args);
    },
  };
}
