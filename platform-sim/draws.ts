// Keyed random draws: a draw is a hash of (seed, stream name, key, ordinal), never the next number of a shared generator.
// So the k-th request for an item meets the same fault whatever the strategy, the clock or the order of arrival, and a
// new stream moves no other.

/** A uniform number in [0, 1) for a key (item) and an ordinal (how many requests it had), both integers. */
export type Stream = (key: number, ordinal: number) => number;

/** 32-bit finalizer with full avalanche (constants: "lowbias32" of Chris Wellons' hash prospector). */
function mix32(value: number): number {
  let h = value | 0;
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return (h ^ (h >>> 16)) | 0;
}

/** Hash of a text to a signed 32-bit integer (FNV-1a, then mixed). */
export function hashText(text: string, seed = 0): number {
  let h = mix32(seed ^ 0x811c9dc5);
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return mix32(h);
}

const GOLDEN = 0x9e3779b9;

/**
 * The stream of draws called `name` of the night `seed`.
 * @param seed any safe integer; both its halves count
 * @returns a pure function of (key, ordinal) with 32 bits of resolution
 */
export function stream(seed: number, name: string): Stream {
  const low = seed >>> 0;
  const high = Math.floor(seed / 0x1_0000_0000) | 0;
  const base = hashText(name, mix32(low ^ Math.imul(high, GOLDEN)));
  return (key, ordinal) => {
    const h = mix32(mix32(base ^ mix32(key + GOLDEN)) + Math.imul(ordinal + 1, GOLDEN));
    return (h >>> 0) / 0x1_0000_0000;
  };
}

/** A whole number in [low, high], both ends included, from a uniform number in [0, 1). */
export function wholeBetween(low: number, high: number, uniform: number): number {
  return low + Math.floor(uniform * (high - low + 1));
}
