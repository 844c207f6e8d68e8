// Scheduler of the naive client: batches in order, every pass requests the whole batch again, items that already succeeded
// included, until each has succeeded at least once or the passes are used up. No checkpoint.

import { perform, startOperation } from '../driver.ts';
import type { Task } from '../task.ts';
import { Lanes } from './lanes.ts';

export interface ReplayBatchesSettings {
  readonly concurrency: number;
  readonly batchSize: number;
  /** Passes over a batch at most, the first included. */
  readonly maxPasses: number;
  /** Pause after each pass. */
  readonly pauseAfterPassMs: number;
  /** Whether a pass leaves out the items that are done: a checkpoint an item. */
  readonly skipDone: boolean;
}

const NOTHING = Promise.resolve();

export async function replayBatches(task: Task, settings: ReplayBatchesSettings): Promise<void> {
  const { items } = task.settings;
  const lanes = new Lanes(settings.concurrency);
  const running = () => task.stopReason === undefined;
  for (let batch = 1, first = 1; first <= items && running(); batch++, first += settings.batchSize) {
    const last = Math.min(first + settings.batchSize - 1, items);
    let passes = 0;
    let complete = false;
    while (passes < settings.maxPasses && !complete && running()) {
      const pass = ++passes;
      await lanes.pass(first, last, running, (item) =>
        settings.skipDone && task.done.has(item) ? NOTHING : perform(task, startOperation(task, item, pass)),
      );
      complete = allDone(task, first, last);
      if (settings.pauseAfterPassMs > 0) await task.pause(settings.pauseAfterPassMs);
    }
    // A task that was stopped abandons nothing: what it did not get is unfinished.
    if (!complete && passes === settings.maxPasses && running()) abandonRest(task, first, last);
    report(task, batch, passes, complete);
  }
  lanes.close();
}

function allDone(task: Task, first: number, last: number): boolean {
  for (let item = first; item <= last; item++) if (!task.done.has(item)) return false;
  return true;
}

function abandonRest(task: Task, first: number, last: number): void {
  for (let item = first; item <= last; item++) if (!task.done.has(item)) task.abandoned.add(item);
}

function report(task: Task, batch: number, passes: number, complete: boolean): void {
  const { ok, limit429, quota429, error500 } = task.tally.totals();
  task.progress.push({ batch, passes, complete, attempts: task.tally.attempts, ok, limit429, quota429, error500 });
}
