// What is worth trying again: statuses that may pass, and only requests that may be sent twice (seeds 002 and 003). A write
// that may have taken effect ends as unknown instead.

import { isRepeatable } from '../methods.ts';
import type { Policy } from '../policy.ts';

export interface ClassificationSettings {
  /** Every other status is permanent. An attempt without a reply counts as retryable. */
  readonly retryStatuses: readonly number[];
  /** Whether a request that must not be repeated is left alone after a failure inside the server. */
  readonly methodSafety: boolean;
  /** Whether a quota rejection is known from a rate rejection; then it is never tried again. */
  readonly knowsQuota: boolean;
}

export function classification({ retryStatuses, methodSafety, knowsQuota }: ClassificationSettings): Policy {
  const retryable = new Set(retryStatuses);
  return {
    name: 'classification',
    decide({ reply, replyClass, operation }, proposal) {
      if (knowsQuota && replyClass === 'quota429')
        return { kind: 'stop', reason: 'quota_exhausted', scope: 'operation' };
      // A rejection by a limit did nothing, so it may be repeated whatever the method.
      const mayHaveActed = reply === undefined || reply.status >= 500;
      if (methodSafety && mayHaveActed && !isRepeatable(operation)) {
        return { kind: 'stop', reason: 'outcome_unknown', scope: 'operation' };
      }
      if (reply === undefined || retryable.has(reply.status)) return proposal;
      return { kind: 'stop', reason: 'permanent_failure', scope: 'operation' };
    },
  };
}
