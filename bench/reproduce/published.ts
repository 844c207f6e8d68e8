// The published storm night in figures. Source: seed 001 ("一次出站重试风暴的沙箱复盘", a postmortem of a retry storm in a sandbox),
// its tables, its console lines and its audit log. Where it says "a bit over", the figure is a range. Quota rejections by
// minute are not printed there.

/** A published figure: a number, or a range where the document is vague. */
export type Published = number | readonly [from: number, to: number];

export const NAIVE = {
  calls: 39_954,
  billed: 20_000,
  quotaRejected: 8852,
  edgeRejected: 8597,
  softLimited: 2505,
  ok: 14_955,
  error500: 5045,
  limit429: 11_102,
  quotaGoneS: 748,
  itemsDone: 6747,
  durationS: 1064,
  /** "A hundred and thirty-odd" of 180. */
  batchesComplete: [130, 139],
  /** "Forty-odd". */
  batchesFailed: [40, 49],
} as const satisfies Record<string, Published>;

/** The client's console: one line after a batch. */
export const PROGRESS_LINES = [
  { batch: 10, passes: 2, attempts: 1604, ok: 1144, limit429: 106, quota429: 0, error500: 354 },
  { batch: 20, passes: 2, attempts: 3179, ok: 2227, limit429: 223, quota429: 0, error500: 729 },
  { batch: 50, passes: 2, attempts: 8012, ok: 5585, limit429: 586, quota429: 0, error500: 1841 },
  { batch: 178, passes: 4, attempts: 39154, ok: 14955, limit429: 10691, quota429: 8463, error500: 5045 },
  { batch: 179, passes: 4, attempts: 39554, ok: 14955, limit429: 10894, quota429: 8660, error500: 5045 },
  { batch: 180, passes: 4, attempts: 39954, ok: 14955, limit429: 11102, quota429: 8852, error500: 5045 },
] as const;

/** The platform's minutes: total, billed, edge rejected, soft limited. */
export const BILLING_TABLE: readonly (readonly [number, number, number, number])[] = [
  [1580, 1475, 0, 105],
  [1743, 1612, 0, 131],
  [1774, 1635, 0, 139],
  [1734, 1615, 0, 119],
  [1759, 1608, 0, 151],
  [1735, 1606, 0, 129],
  [1791, 1644, 0, 147],
  [1752, 1617, 0, 135],
  [1737, 1608, 0, 129],
  [1743, 1589, 0, 154],
  [1764, 1622, 0, 142],
  [1764, 1614, 0, 150],
  [2674, 755, 834, 159],
  [3416, 0, 1616, 152],
  [3424, 0, 1626, 153],
  [3430, 0, 1627, 147],
  [3418, 0, 1620, 142],
  [2716, 0, 1274, 121],
];

export const GUARDED = {
  calls: 13_114,
  billed: 12_042,
  /** Published as waits; it equals calls minus billed, so it counts every rate rejection, the last of an item included. */
  limit429: 1072,
  edgeRejected: 0,
  itemsDone: 8966,
  itemsAbandoned: 34,
  durationS: 997,
  /** "Four thousand-odd". */
  plannedWaits: [4000, 4999],
} as const satisfies Record<string, Published>;

/** With as many calls as items in the budget: stops by it, at "six thousand two hundred-odd" items. */
export const BUDGET_9000 = { calls: 9000, itemsDone: [6200, 6299] } as const satisfies Record<string, Published>;

/** Mean calls of the guarded client: N (1 - q^5) / (1 - q), where an attempt fails with q = 1 - 0.92 * 0.75. */
export const CLOSED_FORM = (() => {
  const items = 9000;
  const passesSoftLimit = 0.92;
  const q = 1 - passesSoftLimit * 0.75;
  const calls = (items * (1 - q ** 5)) / (1 - q);
  return { calls, billed: calls * passesSoftLimit, itemsAbandoned: items * q ** 5 };
})();
