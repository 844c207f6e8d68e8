// What is worth trying again: statuses that may pass, and only requests that may be sent twice (seeds 002 and 003). A write
// that may have taken effect ends as unknown instead; of one that never arrived nothing happened (seed 004).

import { isRepeatable } from '../methods.ts';
import { mayHaveActed } from '../outcome.ts';
import type { Policy } from '../policy.ts';

export interface ClassificationSettings {
  /** Every other status is permanent. An attempt without a reply is retryable, unless no connection will ever be made. */
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
    decide({ reply, replyClass, noReply, operation }, proposal) {
      if (knowsQuota && replyClass === 'quota429')
        return { kind: 'stop', reason: 'quota_exhausted', scope: 'operation' };
      // A rejection by a limit did nothing, nor did what never arrived, so it may be repeated whatever the method.
      if (methodSafety && mayHaveActed(replyClass, reply) && !isRepeatable(operation)) {
        return { kind: 'stop', reason: 'outcome_unknown', scope: 'operation' };
      }
      const mayPass = reply === undefined ? noReply !== 'connect_impossible' : retryable.has(reply.status);
      return mayPass ? proposal : { kind: 'stop', reason: 'permanent_failure', scope: 'operation' };
    },
  };
}
