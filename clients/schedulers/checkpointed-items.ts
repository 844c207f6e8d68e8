// Scheduler of the guarded client: items in order under one concurrency limit, each recorded as done the moment it
// succeeds and never asked for again. An item that stops for its own reason is abandoned and left on record.

import pLimit from 'p-limit';
import { nextOf, perform, reopenOperation, startOperation, tooLate, turn } from '../driver.ts';
import type { Decision, Operation, Stop } from '../policy.ts';
import type { Task } from '../task.ts';
import { Lanes } from './lanes.ts';

export interface CheckpointedItemsSettings {
  readonly concurrency: number;
  /** Whether an item keeps its slot of the limit while it waits, as published, or lets others go first. */
  readonly holdSlotWhileWaiting: boolean;
}

/** Items that may be between two attempts at once when slots are given back while waiting: the bound of that queue. */
const MAX_WAITING = 1000;

export async function checkpointedItems(task: Task, settings: CheckpointedItemsSettings): Promise<void> {
  const { concurrency, holdSlotWhileWaiting } = settings;
  const slots = pLimit(concurrency);
  const run = holdSlotWhileWaiting
    ? perform
    : (_: Task, operation: Operation) => performReleasing(task, operation, slots);
  const lanes = new Lanes(holdSlotWhileWaiting ? concurrency : Math.max(concurrency, MAX_WAITING));
  const running = () => task.stopReason === undefined;
  await lanes.pass(1, task.settings.items, running, async (item) => {
    // Ended in an earlier life of the task.
    if (task.done.has(item) || task.abandoned.has(item)) return;
    const stop = await begin(task, item, run);
    if (stop.reason !== 'done' && stop.scope === 'operation') task.abandoned.add(item);
  });
  lanes.close();
}

/** Begins an item, or goes on with it where an earlier life of the task left it. */
async function begin(
  task: Task,
  item: number,
  run: (task: Task, operation: Operation) => Promise<Stop>,
): Promise<Stop> {
  const left = task.open.get(item);
  if (left === undefined) return run(task, startOperation(task, item, 1));
  const operation = reopenOperation(task, item, left);
  const next = nextOf(task, operation, left);
  if (next.kind === 'stop') return next;
  if (next.waitMs > 0) await task.wait(next.waitMs, next.because);
  return run(task, operation);
}

type Slots = ReturnType<typeof pLimit>;

/** Takes a slot for each attempt and gives it back for each wait. */
async function performReleasing(task: Task, operation: Operation, slots: Slots): Promise<Stop> {
  for (;;) {
    const decision = await queued(task, operation, slots);
    if (decision.kind === 'stop') return decision;
    if (decision.waitMs > 0) await task.wait(decision.waitMs, decision.because);
  }
}

const NOTHING = Promise.resolve();

/** A turn when a slot is free; an operation whose time runs out in the queue leaves it, and its place there does nothing. */
function queued(task: Task, operation: Operation, slots: Slots): Promise<Decision> {
  const patienceMs = task.policies.patienceMs(operation, task.clock.nowMs());
  if (patienceMs === undefined) return slots(() => turn(task, operation));
  return new Promise((resolve, reject) => {
    let left = false;
    const leave = () => {
      const late = tooLate(task, operation);
      if (late === undefined) return;
      left = true;
      resolve(late);
    };
    // One ms after the last at which it could begin.
    const stopTimer = task.clock.after(Math.max(0, patienceMs + 1), leave);
    void slots(() => {
      if (left) return NOTHING;
      stopTimer();
      return turn(task, operation).then(resolve, reject);
    });
  });
}
