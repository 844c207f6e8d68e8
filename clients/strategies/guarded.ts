// The client that finishes the task (seed 001): backoff, Retry-After, a checkpoint an item, a budget for the task, and a
// circuit breaker for the night on which the platform is down rather than slow.

import { READING } from '../task.ts';
import type { Strategy } from './settings.ts';

export const guarded: Strategy = {
  summary: 'five attempts with backoff, obeys Retry-After, checkpoints every item, stops at its call budget',
  source: 'seed 001, published storm night; the settings of the breaker are ours',
  settings: {
    request: READING,
    scheduler: { kind: 'checkpointed_items', concurrency: 8, holdSlotWhileWaiting: true },
    policies: [
      {
        policy: 'circuit_breaker',
        failureRate: 0.5,
        windowMs: 30_000,
        minCalls: 100,
        cooldownMs: 30_000,
        probes: 3,
        limitsAreFailures: false,
        whenOpen: 'wait',
      },
      { policy: 'call_budget', calls: 15_000 },
      { policy: 'quota_stop' },
      { policy: 'attempt_cap', attempts: 5 },
      { policy: 'exponential_backoff', baseMs: 300, capMs: 5000, jitterMs: [0, 150] },
      {
        policy: 'retry_after',
        tooLong: 'cap',
        limitMs: 10_000,
        floorMs: 0,
        fallbackMs: 3000,
        jitterMs: [0, 0],
        onlyLimits: true,
      },
    ],
  },
};
