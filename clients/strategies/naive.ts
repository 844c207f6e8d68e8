// The client that burnt the quota (seed 001): each layer looks reasonable, and together they ask four times for
// everything.

import { READING } from '../task.ts';
import type { Strategy } from './settings.ts';

export const naive: Strategy = {
  summary: 'two immediate attempts an item, every pass requests the whole batch again, no budget',
  source: 'seed 001, published storm night',
  settings: {
    request: READING,
    scheduler: {
      kind: 'replay_batches',
      concurrency: 12,
      batchSize: 50,
      maxPasses: 4,
      pauseAfterPassMs: 0,
      skipDone: false,
    },
    policies: [{ policy: 'attempt_cap', attempts: 2 }, { policy: 'immediate' }],
  },
};
