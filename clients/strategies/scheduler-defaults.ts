// How the strategies that others described are scheduled, so that they differ in their retries alone: items one by one with
// a checkpoint, eight at once, as the guarded client.

import type { SchedulerSettings } from './settings.ts';

export const ITEM_BY_ITEM: SchedulerSettings = {
  kind: 'checkpointed_items',
  concurrency: 8,
  holdSlotWhileWaiting: true,
};
