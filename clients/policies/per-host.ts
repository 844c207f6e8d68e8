// One policy for each host in place of one for the whole client: what one host does to a budget or a breaker is nothing to
// another. Each has a state of its own and the same settings; draws are keyed by item, so they do not change either.

import { MAX_HOSTS } from '../hosts.ts';
import type { Operation, Policy } from '../policy.ts';

/** Of the settings of a policy that can be kept for each host. */
export interface PerHost {
  /** Whether each host has a state of its own; left out, all hosts share one. */
  readonly perHost?: boolean | undefined;
}

/**
 * Passes every question to the policy of the operation's host, which is made when the host is first heard of.
 * @param make makes one policy with fresh state, always of the same kind
 */
export function perHost(make: () => Policy): Policy {
  const byHost = new Map<string, Policy>();
  // Made at once to see what a policy of this kind answers; then it is the first host's.
  const first = make();
  const of = ({ host }: Operation): Policy => {
    const known = byHost.get(host);
    if (known !== undefined) return known;
    if (byHost.size === MAX_HOSTS) throw new RangeError(`${first.name} for more than ${MAX_HOSTS} hosts: ${host}`);
    const made = byHost.size === 0 ? first : make();
    byHost.set(host, made);
    return made;
  };
  return only(first, {
    name: first.name,
    admit: (operation, nowMs) => of(operation).admit?.(operation, nowMs),
    mayWait: (operation, nowMs, waitMs) => of(operation).mayWait?.(operation, nowMs, waitMs),
    lastStartMs: (operation) => of(operation).lastStartMs?.(operation),
    withdraw: (operation) => of(operation).withdraw?.(operation),
    settle: (result) => of(result.operation).settle?.(result),
    decide: (result, proposal) => of(result.operation).decide?.(result, proposal),
    attemptLimitMs: (operation, nowMs) => of(operation).attemptLimitMs?.(operation, nowMs),
    ended: (operation) => of(operation).ended?.(operation),
    budgetLeft: (operation, nowMs) => of(operation).budgetLeft?.(operation, nowMs) ?? {},
  });
}

/** Only the methods that `like` has: a chain asks whoever has a method, and a limit that nobody sets costs nothing. */
function only(like: Policy, whole: Required<Policy>): Policy {
  const kept = Object.entries(whole).filter(([method]) => like[method as keyof Policy] !== undefined);
  return { ...Object.fromEntries(kept), name: whole.name };
}
