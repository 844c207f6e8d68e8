// Concurrency of a scheduler: as many lanes as slots, each taking the next item when it is free, let in by p-limit. The
// items wait in a counter, not in the limiter's queue, so a task of a million items holds no million closures.

import type { LimitFunction } from 'p-limit';

/**
 * Calls `work` for the items `first` to `last`, in order, at most as many at once as `slots` has; resolves when all are
 * through.
 * @param mayGoOn asked before each item; false leaves the rest untouched
 */
export async function inLanes(
  first: number,
  last: number,
  slots: LimitFunction,
  mayGoOn: () => boolean,
  work: (item: number) => Promise<unknown>,
): Promise<void> {
  let next = first;
  const lane = async (): Promise<void> => {
    while (next <= last && mayGoOn()) await work(next++);
  };
  const lanes = Math.min(slots.concurrency, last - first + 1);
  await Promise.all(Array.from({ length: lanes }, () => slots(lane)));
}
