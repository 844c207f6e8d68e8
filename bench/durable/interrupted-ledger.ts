// The books of a task whose process, or whose platform's, was killed: every reserved call is a result or an interrupted call, and
// each interrupted call either arrived or did not. What no death explains is a discrepancy.

import type { CallRecord } from '../../clients/durable/task-store.ts';
import { requestId } from '../../platform-sim/wire.ts';
import type { LedgerRow } from '../books/reconcile.ts';
import { SEEN_AS } from '../books/request-join.ts';
import type { RequestRecord } from './request-records.ts';

/** What became of a call at the platform: its verdict, or that it never arrived. */
export type Fate = RequestRecord['verdict'] | 'never_arrived';

/** A call that was reserved and whose result nobody recorded. */
export interface InterruptedCall {
  readonly request_id: string;
  readonly item: number;
  readonly attempt: number;
  readonly life: number;
  /** Undefined without the platform's records. */
  readonly fate: Fate | undefined;
}

export interface InterruptedLedger {
  readonly rows: readonly LedgerRow[];
  readonly interrupted: readonly InterruptedCall[];
  /** Rows that do not hold and calls that the two sides tell differently: one line each. */
  readonly discrepancies: readonly string[];
}

interface Counts {
  heard: number;
  silentArrived: number;
  silentNever: number;
  cutArrived: number;
  cutNever: number;
}

/** @param records the platform's, or undefined when it is somebody else's */
export function interruptedLedger(
  client: string,
  calls: Iterable<CallRecord>,
  records: readonly RequestRecord[] | undefined,
): InterruptedLedger {
  const arrived = new Map<number, RequestRecord>();
  const wrong: string[] = [];
  let total = 0;
  for (const record of records ?? []) {
    if (record.client !== client) continue;
    total++;
    if (arrived.has(record.ordinal)) wrong.push(`${requestId(client, record.ordinal)}: arrived twice`);
    arrived.set(record.ordinal, record);
  }
  const interrupted: InterruptedCall[] = [];
  const counts: Counts = { heard: 0, silentArrived: 0, silentNever: 0, cutArrived: 0, cutNever: 0 };
  let reserved = 0;
  for (const call of calls) {
    reserved++;
    const record = arrived.get(call.ordinal);
    arrived.delete(call.ordinal);
    count(call, record, counts);
    if (call.settled === undefined)
      interrupted.push(named(client, call, records && (record?.verdict ?? 'never_arrived')));
    if (records !== undefined) wrong.push(...differences(client, call, record));
  }
  for (const ordinal of arrived.keys())
    wrong.push(`${requestId(client, ordinal)}: arrived, and no such call was reserved`);
  const rows = identities(reserved, counts, records === undefined ? undefined : total);
  for (const { identity, left, right } of rows) if (left !== right) wrong.push(`${identity}: ${left} is not ${right}`);
  return { rows, interrupted, discrepancies: wrong };
}

function count({ settled }: CallRecord, record: RequestRecord | undefined, counts: Counts): void {
  if (settled === undefined) counts[record === undefined ? 'cutNever' : 'cutArrived']++;
  else if (settled.status !== null) counts.heard++;
  else counts[record === undefined ? 'silentNever' : 'silentArrived']++;
}

function named(client: string, { ordinal, item, attempt, life }: CallRecord, fate: Fate | undefined): InterruptedCall {
  return { request_id: requestId(client, ordinal), item, attempt, life, fate };
}

/** What the two sides say of one call. */
function differences(
  client: string,
  { ordinal, item, settled }: CallRecord,
  record: RequestRecord | undefined,
): string[] {
  const id = requestId(client, ordinal);
  if (record === undefined) {
    const heard = settled !== undefined && settled.status !== null;
    return heard ? [`${id}: has a result (${settled.replyClass}), and never arrived`] : [];
  }
  if (record.item !== item) return [`${id}: asked for item ${item}, and arrived for ${record.item}`];
  if (settled === undefined || settled.replyClass === 'no_reply') return [];
  const { replyClass } = settled;
  const seen = SEEN_AS[record.verdict];
  return replyClass === seen ? [] : [`${id}: has the result ${replyClass}, and the platform says ${record.verdict}`];
}

function identities(reserved: number, counts: Counts, total: number | undefined): LedgerRow[] {
  const { heard, silentArrived, silentNever, cutArrived, cutNever } = counts;
  const results = heard + silentArrived + silentNever;
  const row = (identity: string, left: number, right: number): LedgerRow => ({
    scope: 'task',
    identity,
    left,
    right,
    difference: left - right,
  });
  const own = row('calls reserved = results + interrupted', reserved, results + cutArrived + cutNever);
  if (total === undefined) return [own];
  return [
    own,
    row(
      'platform total = heard + no_reply that arrived + interrupted that arrived',
      total,
      heard + silentArrived + cutArrived,
    ),
    row('calls reserved = platform total + never_arrived', reserved, total + silentNever + cutNever),
  ];
}
