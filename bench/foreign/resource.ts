// What a foreign request asks for. A path with an item in it (`/items/17`, wherever) is about that item; any other path is a
// resource of its own, so that the k-th request for it meets the same fault whoever asks.

import { hashText } from '../../platform-sim/draws.ts';

const ITEM = /\/items\/(0|[1-9][0-9]{0,8})(?=[/?]|$)/;

/** Item number of a path (0 to 999,999,999), or undefined when it names none. */
export function itemOf(path: string): number | undefined {
  const digits = ITEM.exec(path)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

/** The item, or a hash of the path below zero, as the platform keys its draws. */
export function resourceKey(path: string): number {
  return itemOf(path) ?? -1 - (hashText(path) >>> 1);
}
