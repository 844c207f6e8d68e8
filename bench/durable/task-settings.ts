// What a durable task was begun with, as its state file keeps it: what is asked, which no later life may change, and how it is
// run, which it may.

import { isDeepStrictEqual } from 'node:util';
import type { PolicySettings } from '../../clients/strategies/build-policies.ts';
import type { StrategySettings } from '../../clients/strategies/settings.ts';
import { inputMistake } from '../input-error.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { DurableTask } from './durable-task.ts';
import type { Sync } from './state-file.ts';

/** How a task is run. */
export interface TaskRun {
  /** URL of the platform, or of an item with `{item}` for its number. */
  readonly target: string;
  /** NAME=VARIABLE each; the value is never on file. */
  readonly headers: readonly string[];
  readonly speed: number;
  /** Calendar time at scenario time 0 when a speed makes it another than the machine's. */
  readonly epochMs: number | null;
  readonly sync: Sync;
  /** Path of the audit log, or null for none. */
  readonly audit: string | null;
}

export interface TaskSettingsFile {
  readonly asked: DurableTask;
  readonly run: TaskRun;
}

export const written = (settings: TaskSettingsFile): string => JSON.stringify(settings);
/** The text is one that `written` made: the state file holds its digest. */
export const read = (text: string): TaskSettingsFile => JSON.parse(text) as TaskSettingsFile;

/** @throws InputError when another task was begun on this state than the one that is asked for */
export function sameTask(path: string, asked: DurableTask, begun: DurableTask): void {
  // As it is read back: what is undefined is not written.
  const given = JSON.parse(JSON.stringify(asked)) as DurableTask;
  for (const name of Object.keys(begun) as (keyof DurableTask)[]) {
    if (!isDeepStrictEqual(given[name], begun[name]))
      throw inputMistake(
        path,
        `task ${name}`,
        given[name],
        `${JSON.stringify(begun[name])}, as this state was begun with`,
      );
  }
}

/**
 * A strategy of a scenario as a durable task.
 * @param calls a budget of calls in place of the strategy's own
 * @throws InputError for a strategy that keeps no checkpoint an item
 */
export function taskOf(
  { task, strategies }: Scenario,
  name: string,
  changes: { readonly items: number | undefined; readonly calls: number | undefined; readonly seed: number },
): DurableTask {
  const resumable = Object.keys(strategies).filter((each) => strategies[each]?.scheduler.kind === 'checkpointed_items');
  const settings = strategies[name];
  if (settings === undefined || !resumable.includes(name))
    throw inputMistake('command line', '--strategy', name, `one with a checkpoint an item: ${resumable.join(', ')}`);
  const { items = task.items, calls, seed } = changes;
  const strategy = withGuard(calls === undefined ? settings : withBudget(settings, calls));
  return { name: task.name, client: name, strategy, items, prepMs: task.prepMs, seed };
}

function withBudget(settings: StrategySettings, calls: number): StrategySettings {
  const others = settings.policies.filter(({ policy }) => policy !== 'call_budget');
  return { ...settings, policies: [{ policy: 'call_budget', calls }, ...others] };
}

/** An attempt that takes longer is given up, so that no endpoint can hold a task for ever. */
const GUARD: PolicySettings = {
  policy: 'deadline',
  budgetMs: Number.MAX_SAFE_INTEGER,
  reserveMs: 0,
  attemptMs: 120_000,
};

function withGuard(settings: StrategySettings): StrategySettings {
  const { policies } = settings;
  return policies.some(({ policy }) => policy === 'deadline')
    ? settings
    : { ...settings, policies: [...policies, GUARD] };
}

/** Calls that the task may make; undefined for as many as it takes. */
export function budgetOf({ strategy }: DurableTask): number | undefined {
  const budgets = strategy.policies.flatMap((each) => (each.policy === 'call_budget' ? [each.calls] : []));
  return budgets.length === 0 ? undefined : Math.min(...budgets);
}
