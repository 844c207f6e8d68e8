// The reconciliation ledger: every identity between the platform's book and the client's, by class and by minute, to the
// unit. Whatever no injected fault explains is a discrepancy, and a discrepancy is exit code 3.

import { OUTCOMES, type Outcome } from '../../clients/outcome.ts';
import { REPLY_CLASSES } from '../../clients/policy.ts';
import type { ClientMinuteRow } from '../../clients/tally.ts';
import type { MinuteRow } from '../../platform-sim/meter.ts';
import { VERDICT_CLASSES, type VerdictClass } from '../../platform-sim/types.ts';
import { type JoinedMinuteRow, NOTHING_JOINED } from './joined-minutes.ts';

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
type JoinedCounts = Omit<JoinedMinuteRow, 'minute'>;

/** What of the named classes a client can have seen: all but the replies that reached nobody. */
const heard = (p: PlatformCounts, ...classes: readonly VerdictClass[]): number =>
  classes.reduce((sum, name) => sum + p[name] - p[`unheard_${name}`], 0);

/**
 * Name and both sides; the first two are within the platform's book, the rest between the books. What never arrived has no
 * reason on simulated time, since no fault refuses a connection: a single one is a discrepancy.
 */
const IDENTITIES: readonly (readonly [string, (p: PlatformCounts, c: ClientCounts) => readonly [number, number]])[] = [
  [
    'total = billed + edge + soft + quota + unavailable',
    (p) => [p.total, p.billed + p.edge + p.soft + p.quota + p.unavailable],
  ],
  ['billed = ok + error500 + error503 + other', (p) => [p.billed, p.ok + p.error500 + p.error503 + p.other]],
  ['client attempts = platform total + never_arrived', (p, c) => [c.attempts, p.total + c.never_arrived]],
  ['client never_arrived = connections that a fault refused', (_, c) => [c.never_arrived, 0]],
  ['client ok = ok heard', (p, c) => [c.ok, heard(p, 'ok')]],
  ['client limit429 = edge + soft heard', (p, c) => [c.limit429, heard(p, 'edge', 'soft')]],
  ['client quota429 = quota heard', (p, c) => [c.quota429, heard(p, 'quota')]],
  ['client error500 = error500 heard', (p, c) => [c.error500, heard(p, 'error500')]],
  ['client error503 = error503 + unavailable heard', (p, c) => [c.error503, heard(p, 'error503', 'unavailable')]],
  ['client other = other heard', (p, c) => [c.other, heard(p, 'other')]],
  ['client no_reply = total - heard', (p, c) => [c.no_reply, p.total - heard(p, ...VERDICT_CLASSES)]],
];

/** How many of them need no other book. */
const WITHIN_PLATFORM = 2;

const NO_REQUESTS = Object.fromEntries(
  ['total', 'billed', ...VERDICT_CLASSES, ...VERDICT_CLASSES.map((name) => `unheard_${name}`)].map((name) => [name, 0]),
) as PlatformCounts;
const NO_ATTEMPTS = Object.fromEntries(['attempts', ...REPLY_CLASSES].map((name) => [name, 0])) as ClientCounts;

/** The part of a night that is reconciled. */
export interface TwoBooks {
  readonly platform: { readonly minutes: readonly MinuteRow[] };
  readonly client: { readonly minutes: readonly ClientMinuteRow[] };
  /** On real time: what lies between the books, found by request id. */
  readonly joined?: { readonly minutes: readonly JoinedMinuteRow[] };
  readonly items: {
    readonly total: number;
    readonly done: number;
    readonly abandoned: number;
    readonly unfinished: number;
  };
  /** Operations begun, and how they ended for whoever asked for them. */
  readonly operations: { readonly begun: number } & Readonly<Record<Outcome, number>>;
}

/** Every identity for the night as a whole, the totals being sums of the minutes. */
export function ledgerByClass(night: TwoBooks): LedgerRow[] {
  const rows = check(
    'night',
    sum(NO_REQUESTS, night.platform.minutes),
    sum(NO_ATTEMPTS, night.client.minutes),
    sum(NOTHING_JOINED, night.joined?.minutes ?? []),
  );
  const { total, done, abandoned, unfinished } = night.items;
  const { begun, ...outcomes } = night.operations;
  const ended = OUTCOMES.reduce((sum, name) => sum + outcomes[name], 0);
  return [
    ...rows,
    row('night', 'items = done + abandoned + unfinished', total, done + abandoned + unfinished),
    row('night', 'operations = success + failure + unknown + not sent', begun, ended),
  ];
}

/** Every identity for every minute that either book knows. */
export function ledgerByMinute(night: TwoBooks): LedgerRow[] {
  const minutes = Math.max(night.platform.minutes.length, night.client.minutes.length);
  return Array.from({ length: minutes }, (_, minute) =>
    check(
      String(minute),
      night.platform.minutes[minute] ?? NO_REQUESTS,
      night.client.minutes[minute] ?? NO_ATTEMPTS,
      night.joined?.minutes[minute] ?? NOTHING_JOINED,
    ),
  ).flat();
}

/** The rows that do not balance; empty when the books do. */
export function discrepancies(night: TwoBooks): LedgerRow[] {
  return [...ledgerByClass(night), ...ledgerByMinute(night)].filter(({ difference }) => difference !== 0);
}

/** The identities within a platform's book, which need no client's. */
export function platformIdentities(scope: string, counts: Readonly<Record<string, number>>): LedgerRow[] {
  return check(scope, { ...NO_REQUESTS, ...counts }, NO_ATTEMPTS, NOTHING_JOINED).slice(0, WITHIN_PLATFORM);
}

function check(scope: string, platform: PlatformCounts, client: ClientCounts, joined: JoinedCounts): LedgerRow[] {
  const [p, c] = joined === NOTHING_JOINED ? [platform, client] : meeting(platform, client, joined);
  return IDENTITIES.map(([identity, sides]) => row(scope, identity, ...sides(p, c)));
}

/**
 * Both sides where they meet, which on real time is not where each counted: the client's requests in the minute in which they
 * arrived and without those that it withdrew, the platform's replies without those that crossed with the giving up.
 */
function meeting(platform: PlatformCounts, client: ClientCounts, joined: JoinedCounts): [PlatformCounts, ClientCounts] {
  const p: Record<keyof PlatformCounts, number> = { ...platform };
  for (const name of VERDICT_CLASSES) p[`unheard_${name}`] += joined[`crossed_${name}`];
  const c: Record<keyof ClientCounts, number> = { ...client };
  for (const name of REPLY_CLASSES) c[name] += joined[`moved_${name}`];
  c.attempts += joined.carried_in - joined.carried_out - joined.withdrawn;
  c.no_reply -= joined.withdrawn;
  return [p, c];
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
