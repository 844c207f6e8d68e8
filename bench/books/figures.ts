// The figures by which nights are compared and summed up: one number each, in the units that the published night uses.

import type { Night } from '../night.ts';
import { platformTotals } from './summary.ts';

export interface Figures {
  readonly calls: number;
  readonly billed: number;
  readonly edge_rejected: number;
  readonly soft_limited: number;
  readonly quota_rejected: number;
  readonly ok: number;
  readonly error500: number;
  readonly error503: number;
  readonly unavailable: number;
  readonly other: number;
  readonly items_done: number;
  readonly items_abandoned: number;
  readonly items_unfinished: number;
  readonly duration_s: number;
  /** Missing when the quota was never gone. */
  readonly quota_gone_s: number | undefined;
  readonly waits: number;
  /** Requests that came when the quota was gone already. */
  readonly calls_after_quota: number;
  /** Attempts sent before the time that the server had told. */
  readonly early_retries: number;
}

export function figures(night: Night): Figures {
  const totals = platformTotals(night);
  const { quotaGoneMs } = night.platform;
  return {
    calls: totals.total,
    billed: totals.billed,
    edge_rejected: totals.edge,
    soft_limited: totals.soft,
    quota_rejected: totals.quota,
    ok: totals.ok,
    error500: totals.error500,
    error503: totals.error503,
    unavailable: totals.unavailable,
    other: totals.other,
    items_done: night.items.done,
    items_abandoned: night.items.abandoned,
    items_unfinished: night.items.unfinished,
    duration_s: (night.endedMs - night.startedMs) / 1000,
    quota_gone_s: quotaGoneMs === undefined ? undefined : quotaGoneMs / 1000,
    waits: Object.values(night.client.waits).reduce((sum, { count }) => sum + count, 0),
    calls_after_quota: night.platform.callsAfterQuota,
    early_retries: night.earlyRetries,
  };
}

export const FIGURE_NAMES = [
  'calls',
  'billed',
  'edge_rejected',
  'soft_limited',
  'quota_rejected',
  'ok',
  'error500',
  'error503',
  'unavailable',
  'other',
  'items_done',
  'items_abandoned',
  'items_unfinished',
  'duration_s',
  'quota_gone_s',
  'waits',
  'calls_after_quota',
  'early_retries',
] as const satisfies readonly (keyof Figures)[];
