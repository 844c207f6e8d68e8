// Stops the whole task on the first quota rejection: a quota does not come back by waiting.

import type { Policy } from '../policy.ts';

export function quotaStop(): Policy {
  return {
    name: 'quota_stop',
    decide: ({ replyClass }, proposal) =>
      replyClass === 'quota429' ? { kind: 'stop', reason: 'quota_exhausted', scope: 'task' } : proposal,
  };
}
