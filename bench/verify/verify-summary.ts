// What summary.json says of a strategy, held against what its files make it.

import { z } from 'zod';
import { STOP_REASONS } from '../../clients/stop-reasons.ts';
import { BILLING_COLUMNS, billingRow } from '../books/night-files.ts';
import { sum, type TwoBooks } from '../books/reconcile.ts';
import type { NightSummary } from '../books/summary.ts';
import type { AttemptTrail } from './attempt-trail.ts';

const whole = z.int().min(0);
const counts = z.record(z.string(), whole);

/** The shape that must be there before anything can be compared. */
export const summarySchema = z.object({
  scenario: z.string(),
  scenario_hash: z.string(),
  seed: whole,
  clock: z.string(),
  speed: z.number().optional(),
  nights: whole,
  partial: z.literal(true).optional(),
  strategies: z.array(
    z.looseObject({
      strategy: z.string(),
      seed: whole,
      stop_reason: z.enum(STOP_REASONS),
      items: z.object({ total: whole, done: whole, abandoned: whole, unfinished: whole }),
      calls: counts,
      operations: z.looseObject({ begun: whole }),
      waits: z.record(z.string(), z.object({ count: whole, plannedMs: z.number() })),
      endings: counts.optional(),
      item_ms: z.object({ median: z.number(), p99: z.number() }).nullable().optional(),
    }),
  ),
});

/** What the files make of the figures that no table holds. */
export type DerivedFigures = Pick<
  AttemptTrail,
  'quotaGoneMs' | 'callsAfterQuota' | 'earlyRetries' | 'operations' | 'waits'
>;

/** Figures that do not follow from the books: one line each. */
export function summaryDifferences(
  summary: NightSummary,
  { platform, items }: TwoBooks,
  trail: DerivedFigures,
  expected: { readonly seed: number; readonly items: number; readonly startedMs: number },
): string[] {
  const zero = Object.fromEntries(BILLING_COLUMNS.slice(1).map((column) => [column, 0]));
  const totals: Readonly<Record<string, number>> = sum(
    zero,
    platform.minutes.map(billingRow) as Readonly<Record<string, number>>[],
  );
  const ratio = (name: string, of: number) => (of === 0 ? null : Math.round(((totals[name] ?? 0) / of) * 1000) / 1000);
  const pairs: [name: string, said: unknown, made: unknown][] = [
    ...Object.entries(summary.calls).map(([name, said]): [string, unknown, unknown] => [
      `calls.${name}`,
      said,
      totals[name],
    ]),
    ['seed', summary.seed, expected.seed],
    ['items.total', summary.items.total, expected.items],
    ['items.done', summary.items.done, items.done],
    ['calls_per_item', summary.calls_per_item, ratio('total', expected.items)],
    ['calls_per_done_item', summary.calls_per_done_item, ratio('total', items.done)],
    ['billed_per_done_item', summary.billed_per_done_item, ratio('billed', items.done)],
    ['started_s', summary.started_s, expected.startedMs / 1000],
    ['quota_gone_s', summary.quota_gone_s, trail.quotaGoneMs === undefined ? null : trail.quotaGoneMs / 1000],
    ['calls_after_quota', summary.calls_after_quota, trail.callsAfterQuota],
    ['early_retries', summary.early_retries, trail.earlyRetries],
    ['operations begun and sent', summary.operations.begun - summary.operations.not_sent, trail.operations],
    ['waits', inOrder(summary.waits), inOrder(trail.waits)],
  ];
  return pairs
    .filter(([, said, made]) => JSON.stringify(said) !== JSON.stringify(made))
    .map(([name, said, made]) => `${name} is ${JSON.stringify(said)}, but the files make it ${JSON.stringify(made)}`);
}

function inOrder(waits: NightSummary['waits']): unknown {
  return Object.entries(waits).sort(([a], [b]) => (a < b ? -1 : 1));
}
