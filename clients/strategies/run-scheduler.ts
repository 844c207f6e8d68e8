// From the settings of a scheduler to the scheduler at work.

import { checkpointedItems } from '../schedulers/checkpointed-items.ts';
import { replayBatches } from '../schedulers/replay-batches.ts';
import type { Task } from '../task.ts';
import type { SchedulerSettings } from './settings.ts';

export function runScheduler(task: Task, settings: SchedulerSettings): Promise<void> {
  switch (settings.kind) {
    case 'replay_batches':
      return replayBatches(task, settings);
    case 'checkpointed_items':
      return checkpointedItems(task, settings);
  }
}
