// The books of one night as files beside its books by request: billing by minute, the client's tally, the ledger.

import { REPLY_CLASSES } from '../../clients/policy.ts';
import type { MinuteRow } from '../../platform-sim/meter.ts';
import { VERDICT_CLASSES } from '../../platform-sim/types.ts';
import type { Night } from '../night.ts';
import { writeFiles } from '../results-folder/result-folder.ts';
import { type CsvRow, toCsv } from './csv.ts';
import { JOINED_COLUMNS, joinedRow } from './joined-minutes.ts';
import { ledgerByClass, ledgerByMinute } from './reconcile.ts';

/** The published layout, and more to the right. */
export const BILLING_COLUMNS = [
  'minute',
  'total',
  'billed',
  'edge_rejected',
  'soft_limited',
  'quota_rejected',
  'ok',
  'error500',
  'error503',
  'unavailable',
  'other',
  'unheard',
] as const;
export type BillingRow = Readonly<Record<(typeof BILLING_COLUMNS)[number], number>>;

export function billingRow(row: MinuteRow): BillingRow {
  const unheard = VERDICT_CLASSES.reduce((sum, name) => sum + row[`unheard_${name}`], 0);
  return { ...row, unheard, edge_rejected: row.edge, soft_limited: row.soft, quota_rejected: row.quota };
}

export const CLIENT_COLUMNS = ['minute', 'attempts', ...REPLY_CLASSES] as const;
export const LEDGER_COLUMNS = ['scope', 'identity', 'left', 'right', 'difference'] as const;
export const PROGRESS_COLUMNS = [
  'batch',
  'passes',
  'complete',
  'attempts',
  'ok',
  'limit429',
  'quota429',
  'error500',
] as const;

/** Name and text of each file; the texts depend on the night alone. */
export function nightFiles(night: Night): Readonly<Record<string, string>> {
  const billing: CsvRow<(typeof BILLING_COLUMNS)[number]>[] = night.platform.minutes.map(billingRow);
  const progress = night.client.progress.map((line) => ({ ...line, complete: line.complete ? 1 : 0 }));
  return {
    'billing-by-minute.csv': toCsv(BILLING_COLUMNS, billing),
    'client-by-minute.csv': toCsv(CLIENT_COLUMNS, night.client.minutes),
    'ledger-by-class.csv': toCsv(LEDGER_COLUMNS, ledgerByClass(night)),
    'ledger-by-minute.csv': toCsv(LEDGER_COLUMNS, ledgerByMinute(night)),
    ...(night.joined === undefined
      ? {}
      : { 'joined-by-minute.csv': toCsv(JOINED_COLUMNS, night.joined.minutes.map(joinedRow)) }),
    ...(progress.length === 0 ? {} : { 'progress.csv': toCsv(PROGRESS_COLUMNS, progress) }),
  };
}

export function writeNightFiles(night: Night, folder: string): void {
  writeFiles(folder, nightFiles(night));
}
