// Which host an operation goes to: the items of a task are dealt out to the hosts that its strategy names, so that budgets
// and breakers can be kept for each of them. One deployment answers for all.

import { DEFAULT_HOST } from '../platform-sim/wire.ts';

/** Hosts of a task at most: a policy per host keeps a state for each. */
export const MAX_HOSTS = 64;

/** The host of an item, the same in every pass; without hosts the platform's own. */
export function hostOf(hosts: readonly string[] | undefined, item: number): string {
  return hosts?.[item % hosts.length] ?? DEFAULT_HOST;
}
