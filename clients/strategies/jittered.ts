// The four textbook forms of exponential backoff, alike in all but their jitter (seed 004; M. Brooker, "Exponential Backoff
// And Jitter", 2015).

import type { Jitter } from '../policies/jittered-backoff.ts';
import { READING } from '../task.ts';
import { ITEM_BY_ITEM } from './scheduler-defaults.ts';
import type { Strategy } from './settings.ts';

function backoff(jitter: Jitter, what: string): Strategy {
  return {
    summary: `five attempts, 300 ms doubling to 5 s, ${what}; Retry-After not read`,
    source: 'seed 004; attempts, base and cap as the guarded client',
    settings: {
      request: READING,
      scheduler: ITEM_BY_ITEM,
      policies: [
        { policy: 'classification', retryStatuses: [429, 500, 502, 503, 504], methodSafety: true, knowsQuota: false },
        { policy: 'attempt_cap', attempts: 5 },
        { policy: 'jittered_backoff', jitter, baseMs: 300, capMs: 5000, factor: 2, share: 0 },
      ],
    },
  };
}

export const jittered: Readonly<Record<string, Strategy>> = {
  exponential: backoff('none', 'without jitter'),
  'full-jitter': backoff('full', 'full jitter'),
  'equal-jitter': backoff('equal', 'equal jitter'),
  'decorrelated-jitter': backoff('decorrelated', 'decorrelated jitter'),
};
