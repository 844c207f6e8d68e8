// Which requests may be sent twice (RFC 9110, 9.2.2): those whose method is idempotent, and others only under a contract
// with the server, of which the idempotency key is the one that we know. And which change nothing (9.2.1).

import type { Operation } from './policy.ts';
import type { Method } from './ports.ts';

const IDEMPOTENT: Readonly<Record<Method, boolean>> = {
  GET: true,
  HEAD: true,
  PUT: true,
  DELETE: true,
  POST: false,
  PATCH: false,
};

/** Whether sending the same request again can not have a second effect. */
export function isRepeatable({ method, idempotencyKey }: Pick<Operation, 'method' | 'idempotencyKey'>): boolean {
  return IDEMPOTENT[method] || idempotencyKey !== undefined;
}

/** Whether the request asks for no effect at all. */
export function isSafe({ method }: Pick<Operation, 'method'>): boolean {
  return method === 'GET' || method === 'HEAD';
}
