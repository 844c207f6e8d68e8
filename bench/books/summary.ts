// A night in figures: what summary.json says, what the screen says and what series of nights are summed up by.

import type { Night } from '../night.ts';
import { discrepancies, type LedgerRow, sum } from './reconcile.ts';

export interface NightSummary {
  readonly strategy: string;
  readonly seed: number;
  readonly stop_reason: string;
  readonly items: {
    readonly total: number;
    readonly done: number;
    readonly abandoned: number;
    readonly unfinished: number;
  };
  /** The platform's counts. */
  readonly calls: {
    readonly total: number;
    readonly billed: number;
    readonly edge_rejected: number;
    readonly soft_limited: number;
    readonly quota_rejected: number;
    readonly ok: number;
    readonly error500: number;
    readonly error503: number;
    readonly unavailable: number;
    readonly other: number;
  };
  /** How often an item was asked for on average, done or not: the factor by which all layers of retries multiply. */
  readonly calls_per_item: number;
  readonly calls_per_done_item: number | null;
  readonly billed_per_done_item: number | null;
  /** Scenario time, in s, at which the last call of the quota was billed; null when it was never gone. */
  readonly quota_gone_s: number | null;
  /** Attempts sent before the time that the server had told. */
  readonly early_retries: number;
  readonly operations: Night['operations'];
  readonly calls_after_quota: number;
  readonly started_s: number;
  readonly duration_s: number;
  readonly waits: Night['client']['waits'];
  readonly books: { readonly balance: boolean; readonly discrepancies: readonly LedgerRow[] };
}

const ZERO = {
  total: 0,
  billed: 0,
  ok: 0,
  error500: 0,
  error503: 0,
  edge: 0,
  soft: 0,
  quota: 0,
  unavailable: 0,
  other: 0,
};

export function platformTotals(night: Pick<Night, 'platform'>): Readonly<typeof ZERO> {
  return sum(ZERO, night.platform.minutes);
}

export function summarise(night: Night): NightSummary {
  const { edge, soft, quota, ...rest } = platformTotals(night);
  const { done, total } = night.items;
  const wrong = discrepancies(night);
  const ratio = (calls: number, items: number) => Math.round((calls / items) * 1000) / 1000;
  const per = (calls: number) => (done === 0 ? null : ratio(calls, done));
  return {
    strategy: night.strategy,
    seed: night.seed,
    stop_reason: night.stopReason,
    items: night.items,
    calls: { ...rest, edge_rejected: edge, soft_limited: soft, quota_rejected: quota },
    calls_per_item: ratio(rest.total, total),
    calls_per_done_item: per(rest.total),
    billed_per_done_item: per(rest.billed),
    quota_gone_s: night.platform.quotaGoneMs === undefined ? null : night.platform.quotaGoneMs / 1000,
    early_retries: night.earlyRetries,
    operations: night.operations,
    calls_after_quota: night.platform.callsAfterQuota,
    started_s: night.startedMs / 1000,
    duration_s: (night.endedMs - night.startedMs) / 1000,
    waits: night.client.waits,
    books: { balance: wrong.length === 0, discrepancies: wrong },
  };
}
