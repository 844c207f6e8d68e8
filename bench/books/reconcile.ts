// The reconciliation ledger: every identity between the platform's book and the client's, by class and by minute, to the
// unit. Whatever no injected fault explains is a discrepancy, and a discrepancy is exit code 3.

import type { ClientMinuteRow } from '../../clients/tally.ts';
import type { MinuteRow } from '../../platform-sim/meter.ts';

/** One identity, with both sides as counted. */
export interface LedgerRow {
  /** `night` or the number of the minute. */
  readonly scope: string;
  readonly identity: string;
  readonly left: number;
  readonly right: number;
  /** left - right; 0 when the books balance. */
  readonly difference: number;
}

type PlatformCounts = Omit<MinuteRow, 'minute'>;
type ClientCounts = Omit<ClientMinuteRow, 'minute'>;

/** Name and both sides; the first two are within the platform's book, the rest between the books. */
const IDENTITIES: readonly (readonly [string, (p: PlatformCounts, c: ClientCounts) => readonly [number, number]])[] = [
  [
    'total = billed + edge + soft + quota + unavailable',
    (p) => [p.total, p.billed + p.edge + p.soft + p.quota + p.unavailable],
  ],
  ['billed = ok + error500 + error503', (p) => [p.billed, p.ok + p.error500 + p.error503]],
  ['client attempts = platform total', (p, c) => [c.attempts, p.total]],
  ['client ok = platform ok', (p, c) => [c.ok, p.ok]],
  ['client limit429 = edge + soft', (p, c) => [c.limit429, p.edge + p.soft]],
  ['client quota429 = quota', (p, c) => [c.quota429, p.quota]],
  ['client error500 = error500', (p, c) => [c.error500, p.error500]],
  ['client error503 = error503 + unavailable', (p, c) => [c.error503, p.error503 + p.unavailable]],
  ['client other = 0', (_p, c) => [c.other, 0]],
  ['client no_reply = 0', (_p, c) => [c.no_reply, 0]],
];

const NO_REQUESTS: PlatformCounts = {
  total: 0,
  billed: 0,
  ok: 0,
  error500: 0,
  error503: 0,
  edge: 0,
  soft: 0,
  quota: 0,
  unavailable: 0,
};
const NO_ATTEMPTS: ClientCounts = {
  attempts: 0,
  ok: 0,
  limit429: 0,
  quota429: 0,
  error500: 0,
  error503: 0,
  other: 0,
  no_reply: 0,
};

/** The part of a night that is reconciled. */
export interface TwoBooks {
  readonly platform: { readonly minutes: readonly MinuteRow[] };
  readonly client: { readonly minutes: readonly ClientMinuteRow[] };
  readonly items: {
    readonly total: number;
    readonly done: number;
    readonly abandoned: number;
    readonly unfinished: number;
  };
}

/** Every identity for the night as a whole, the totals being sums of the minutes. */
export function ledgerByClass(night: TwoBooks): LedgerRow[] {
  const rows = check('night', sum(NO_REQUESTS, night.platform.minutes), sum(NO_ATTEMPTS, night.client.minutes));
  const { total, done, abandoned, unfinished } = night.items;
  return [...rows, row('night', 'items = done + abandoned + unfinished', total, done + abandoned + unfinished)];
}

/** Every identity for every minute that either book knows. */
export function ledgerByMinute(night: TwoBooks): LedgerRow[] {
  const minutes = Math.max(night.platform.minutes.length, night.client.minutes.length);
  return Array.from({ length: minutes }, (_, minute) =>
    check(String(minute), night.platform.minutes[minute] ?? NO_REQUESTS, night.client.minutes[minute] ?? NO_ATTEMPTS),
  ).flat();
}

/** The rows that do not balance; empty when the books do. */
export function discrepancies(night: TwoBooks): LedgerRow[] {
  return [...ledgerByClass(night), ...ledgerByMinute(night)].filter(({ difference }) => difference !== 0);
}

function check(scope: string, platform: PlatformCounts, client: ClientCounts): LedgerRow[] {
  return IDENTITIES.map(([identity, sides]) => row(scope, identity, ...sides(platform, client)));
}

function row(scope: string, identity: string, left: number, right: number): LedgerRow {
  return { scope, identity, left, right, difference: left - right };
}

/** Column sums; `zero` names the columns. */
export function sum<T extends Readonly<Record<string, number>>>(zero: T, rows: readonly T[]): T {
  const total: Record<string, number> = { ...zero };
  for (const counts of rows)
    for (const name of Object.keys(zero)) total[name] = (total[name] ?? 0) + (counts[name] ?? 0);
  return total as T;
}
