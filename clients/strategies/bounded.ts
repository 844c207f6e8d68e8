// Strategies of the documents that bound an operation: three reads in twenty seconds (seed 000), a deadline of ten (002), and
// a ladder of four rungs with breaker and cache (003).

import { READING } from '../task.ts';
import { ITEM_BY_ITEM } from './scheduler-defaults.ts';
import type { Strategy } from './settings.ts';

const HEARD = { floorMs: 0, fallbackMs: null, jitterMs: [0, 0], onlyLimits: false } as const;
/** Of a told wait: the deadline of the operation is the limit. */
const NO_LIMIT = 2 ** 31 - 1;
const PASSING = [429, 500, 502, 503, 504] as const;

export const bounded: Readonly<Record<string, Strategy>> = {
  'bounded-read': {
    summary: 'three attempts in 20 s, 4 s reserved for each; only a 429 is tried again, never earlier than told',
    source: 'seed 000',
    settings: {
      request: READING,
      scheduler: ITEM_BY_ITEM,
      policies: [
        { policy: 'classification', retryStatuses: [429], methodSafety: true, knowsQuota: true },
        { policy: 'attempt_cap', attempts: 3 },
        // 2 s after the first attempt, 4 s after the second, when nothing readable was told.
        { policy: 'exponential_backoff', baseMs: 2000, capMs: 20_000, jitterMs: [0, 0] },
        { policy: 'retry_after', ...HEARD, tooLong: 'never_shorten', limitMs: NO_LIMIT, floorMs: 1000 },
        { policy: 'deadline', budgetMs: 20_000, reserveMs: 4000, attemptMs: 4000 },
      ],
    },
  },
  deadline: {
    summary: 'full jitter within a deadline of 10 s for the whole operation; a told wait that does not fit ends it',
    source: 'seed 002; attempts, base and cap are ours, the document leaves them to the application',
    settings: {
      request: READING,
      scheduler: ITEM_BY_ITEM,
      policies: [
        { policy: 'classification', retryStatuses: PASSING, methodSafety: true, knowsQuota: true },
        { policy: 'attempt_cap', attempts: 5 },
        { policy: 'jittered_backoff', jitter: 'full', baseMs: 500, capMs: 5000, factor: 2, share: 0 },
        { policy: 'retry_after', ...HEARD, tooLong: 'never_shorten', limitMs: NO_LIMIT },
        { policy: 'deadline', budgetMs: 10_000, reserveMs: 0, attemptMs: null },
      ],
    },
  },
  ladder: {
    summary: 'classify, four attempts from 1 s to 30 s with 30 % jitter, a breaker on five failures in a row, a cache',
    source: 'seed 003',
    settings: {
      request: { ...READING, cacheEntries: 10_000 },
      scheduler: ITEM_BY_ITEM,
      policies: [
        {
          policy: 'consecutive_breaker',
          threshold: 5,
          cooldownMs: 30_000,
          probes: 1,
          limitsAreFailures: false,
          whenOpen: 'fail',
        },
        { policy: 'classification', retryStatuses: PASSING, methodSafety: true, knowsQuota: true },
        { policy: 'attempt_cap', attempts: 4 },
        { policy: 'jittered_backoff', jitter: 'proportional', baseMs: 1000, capMs: 30_000, factor: 2, share: 0.3 },
        { policy: 'retry_after', ...HEARD, tooLong: 'cap', limitMs: 30_000 },
      ],
    },
  },
};
