// The books of a served platform as tables, ledger and summary. It has no client's book to be held against; what must hold is
// within its own: the identities of its classes, and that its clients together made all of its calls. `storm verify` makes ledger
// and summary again from the tables by these same functions.

import { z } from 'zod';
import { BILLING_COLUMNS, type BillingRow, billingRow } from '../books/night-files.ts';
import { type LedgerRow, platformIdentities, sum } from '../books/reconcile.ts';
import { fields } from '../scenario/fields.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Round } from './round.ts';

/** Billing by minute, of the platform and of each client. */
export interface ServedTables {
  readonly platform: readonly BillingRow[];
  readonly clients: ReadonlyMap<string, readonly BillingRow[]>;
}

export type Counts = Omit<BillingRow, 'minute'>;
const COUNTED = BILLING_COLUMNS.filter((column) => column !== 'minute');
const NOTHING = Object.fromEntries(COUNTED.map((column) => [column, 0])) as Counts;

const whole = z.int().min(0);

/** What no table holds. */
export const servedFactsSchema = fields({
  /** Calendar time at scenario time 0. */
  epoch: z.iso.datetime(),
  ended_s: z.number().min(0),
  quota_gone_s: z.number().min(0).nullable(),
  calls_after_quota: whole,
  /** Requests that were no calls, by why they were refused. */
  refused: z.record(z.string(), whole),
  clients: z.record(
    z.string(),
    fields({
      /** Things asked for, and those that were answered with a success. */
      asked: whole,
      done: whole,
      /** Calls before the time that the platform had told for the same thing. */
      early_retries: whole,
      /** Calls for what there was no room to remember. */
      untracked: whole,
    }),
  ),
});
export type ServedFacts = z.output<typeof servedFactsSchema>;

export interface ServedHead {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly speed: number;
}

export function tablesOf({ platform, clients }: Round): ServedTables {
  const rows = [...clients].map(([name, { meter }]) => [name, meter.rows().map(billingRow)] as const);
  return { platform: platform.meter.rows().map(billingRow), clients: new Map(rows) };
}

export function servedFacts(round: Round, refused: Readonly<Record<string, number>>): ServedFacts {
  const { quotaGoneMs, callsAfterQuota } = round.platform.meter;
  const clients = [...round.clients].map(([name, { asked, done, earlyRetries, untracked }]) => [
    name,
    { asked, done, early_retries: earlyRetries, untracked },
  ]);
  return {
    epoch: new Date(round.epochMs).toISOString(),
    ended_s: round.clock.nowMs() / 1000,
    quota_gone_s: quotaGoneMs === undefined ? null : quotaGoneMs / 1000,
    calls_after_quota: callsAfterQuota,
    refused: { ...refused },
    clients: Object.fromEntries(clients),
  };
}

/** Every identity, for the whole and for every minute. */
export function servedLedger({ platform, clients }: ServedTables): {
  readonly byClass: readonly LedgerRow[];
  readonly byMinute: readonly LedgerRow[];
} {
  const names = [...clients.keys()];
  const totals = new Map([...clients].map(([name, rows]) => [name, totalOf(rows)]));
  const each = names.flatMap((name) =>
    within('night', totals.get(name) ?? NOTHING).map((row) => ({ ...row, identity: `${name}: ${row.identity}` })),
  );
  const whole = [...check('night', totalOf(platform), [...totals.values()]), ...each];
  const minutes = Math.max(platform.length, ...[...clients.values()].map((rows) => rows.length));
  const byMinute = Array.from({ length: minutes }, (_, minute) => {
    const own = [...clients.values()].flatMap((rows) => rows[minute] ?? []);
    return check(String(minute), platform[minute] ?? NOTHING, own);
  });
  return { byClass: whole, byMinute: byMinute.flat() };
}

export const totalOf = (rows: readonly Counts[]): Counts => sum(NOTHING, rows);

function check(scope: string, platform: Counts, clients: readonly Counts[]): LedgerRow[] {
  const together = totalOf(clients);
  const sums = COUNTED.map((column): LedgerRow => {
    const [left, right] = [platform[column], together[column]];
    return { scope, identity: `${column} = sum over clients`, left, right, difference: left - right };
  });
  return [...within(scope, platform), ...sums];
}

const within = (scope: string, row: Counts): LedgerRow[] =>
  platformIdentities(scope, { ...row, edge: row.edge_rejected, soft: row.soft_limited, quota: row.quota_rejected });

/** The quota gate of a scenario, when it has one. */
export function quotaOf({ profile }: Scenario): { readonly calls: number } | undefined {
  return profile.gates.find((gate) => gate.gate === 'monthly_quota');
}

/** What summary.json says, from the tables and what no table holds. */
export function servedSummary({ scenario, seed, speed }: ServedHead, tables: ServedTables, facts: ServedFacts) {
  const calls = totalOf(tables.platform);
  const quota = quotaOf(scenario);
  const ledger = servedLedger(tables);
  const discrepancies = [...ledger.byClass, ...ledger.byMinute].filter(({ difference }) => difference !== 0);
  return {
    scenario: scenario.name,
    scenario_hash: scenario.hash,
    seed,
    clock: 'wall',
    nights: 1,
    speed,
    facts,
    platform: {
      calls,
      quota: quota === undefined ? null : { calls: quota.calls, left: quota.calls - calls.billed },
    },
    clients: [...tables.clients].map(([client, rows]) => {
      const own = totalOf(rows);
      const { done = 0 } = facts.clients[client] ?? {};
      return {
        client,
        calls: own,
        share_of_billed: ratio(own.billed, calls.billed),
        calls_per_done: ratio(own.total, done),
      };
    }),
    books: { balance: discrepancies.length === 0, discrepancies },
  };
}

export type ServedSummary = ReturnType<typeof servedSummary>;

const ratio = (part: number, of: number): number | null => (of === 0 ? null : Math.round((part / of) * 1000) / 1000);
