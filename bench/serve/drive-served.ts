// A strategy of ours as one of several clients of a served platform: the same task and policies as in any night, on the wall clock,
// told apart by its name.

import { buildPolicies } from '../../clients/strategies/build-policies.ts';
import { runScheduler } from '../../clients/strategies/run-scheduler.ts';
import { Tally } from '../../clients/tally.ts';
import { Task } from '../../clients/task.ts';
import { UndiciTransport } from '../../clients/undici-transport.ts';
import { CLIENT_HEADER } from '../../platform-sim/wire.ts';
import { WallClock } from '../clocks/wall-clock.ts';
import type { Scenario } from '../scenario/scenario.ts';

export interface ServedClient {
  readonly scenario: Scenario;
  /** One of the scenario's; also the client's name. */
  readonly strategy: string;
  readonly seed: number;
  /** Address of the platform, and its speed: the waits of the client are of scenario time. */
  readonly origin: string;
  readonly speed: number;
}

/** Runs the client to its end; what it counted itself is in the task. */
export async function driveServed({ scenario, strategy, seed, origin, speed }: ServedClient): Promise<Task> {
  const settings = scenario.strategies[strategy];
  if (settings === undefined) throw new Error(`scenario ${scenario.name} has no strategy ${strategy}`);
  const { items, prepMs } = scenario.task;
  const transport = new UndiciTransport(origin, settings.scheduler.concurrency, {
    headers: { [CLIENT_HEADER]: strategy },
  });
  try {
    const task = new Task(
      { client: strategy, items, prepMs, ...settings.request },
      { clock: new WallClock({ speed }), transport },
      buildPolicies(settings.policies, seed, { chance: settings.chance }),
      new Tally(),
    );
    await runScheduler(task, settings.scheduler);
    return task;
  } finally {
    await transport.close();
  }
}
