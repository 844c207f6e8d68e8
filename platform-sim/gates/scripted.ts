// A platform by script: the k-th request for an item gets the k-th reply of a list, which is what tests of a client need
// (seed 003: 429, 429, 503, 200). It stands in for quota, billing and faults; only limits in front of it still refuse.

import type { Gate, Refusal } from '../types.ts';
import type { QuotaAccount } from './monthly-quota.ts';

export interface ScriptedReply {
  readonly status: number;
  /** The Retry-After header as it is sent. */
  readonly retryAfter?: string | undefined;
  /** Makes a 429 a quota rejection. */
  readonly quota?: boolean | undefined;
  /** The request is served, and the reply gets lost. */
  readonly lost?: boolean | undefined;
}

export interface ScriptedSettings {
  readonly replies: readonly ScriptedReply[];
  /** What comes when the list is at its end: a success, or the last reply again. */
  readonly after: 'ok' | 'last';
}

export function scripted({ replies, after }: ScriptedSettings, account: QuotaAccount): Gate {
  return {
    name: 'scripted',
    examine(arrival) {
      const reply = replies[arrival.ordinal] ?? (after === 'last' ? replies.at(-1) : undefined);
      if (reply !== undefined && reply.status === 429) return limited(reply);
      arrival.billed = true;
      account.billedCalls++;
      arrival.lost = reply?.lost === true;
      return reply === undefined || reply.status < 400 ? undefined : broken(reply);
    },
  };
}

function limited({ quota, retryAfter }: ScriptedReply): Refusal {
  const kind = quota === true ? 'quota' : 'soft';
  return { verdictClass: kind, status: 429, limitKind: kind, retryAfter };
}

function broken({ status, retryAfter }: ScriptedReply): Refusal {
  const verdictClass = status === 500 ? 'error500' : status === 503 ? 'error503' : 'other';
  return { verdictClass, status, retryAfter };
}
