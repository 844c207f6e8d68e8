// What a reply means, or that there is none: status and limit-kind header, or the cause, to one of the classes that the
// client's books know.

import type { NoReplyCause } from '../platform-sim/no-reply.ts';
import { LIMIT_KIND_HEADER } from '../platform-sim/wire.ts';
import type { ReplyClass } from './policy.ts';
import type { Reply } from './ports.ts';

/** Whether it is a 429 that does not say which limit it met. */
export function namesNoLimit({ status, headers }: Reply): boolean {
  return status === 429 && headers[LIMIT_KIND_HEADER] === undefined;
}

/** Every 2xx is a success: a write answers 201 or 204. */
export function classify(reply: Reply): ReplyClass {
  if (reply.status >= 200 && reply.status < 300) return 'ok';
  switch (reply.status) {
    case 429:
      return reply.headers[LIMIT_KIND_HEADER] === 'quota' ? 'quota429' : 'limit429';
    case 500:
      return 'error500';
    case 503:
      return 'error503';
    default:
      return 'other';
  }
}

export function classifyNoReply(cause: NoReplyCause): 'no_reply' | 'never_arrived' {
  switch (cause) {
    case 'reset':
    case 'cancelled':
      return 'no_reply';
    case 'connect_failure':
    case 'connect_impossible':
      return 'never_arrived';
  }
}
