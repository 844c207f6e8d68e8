// One client's attempts followed through its three records at once: requests.csv, audit.jsonl and decisions.jsonl say the same
// of each, line by line, and what the summary says of waits, early retries and the quota follows from them.

import type { AuditEntry } from '../books/audit-log.ts';
import type { DecisionEntry } from '../books/decision-log.ts';
import type { TextRow } from '../results-folder/open.ts';

/** Whether two logs say the same of one entry, a refusal before sending included. */
export function logsAgree(audit: AuditEntry, decision: DecisionEntry): boolean {
  const waitMs = audit.wait_s === undefined ? audit.wait_ms : audit.wait_s * 1000;
  const said = [audit.t, audit.task, audit.id, audit.attempt, audit.status, waitMs ?? null, audit.event];
  const reason = decision.decision === 'done' ? 'ok' : decision.reason;
  return (
    JSON.stringify(said) ===
    JSON.stringify([
      decision.t,
      decision.task,
      decision.id,
      decision.attempt,
      decision.status,
      decision.wait_ms,
      reason,
    ])
  );
}

export class AttemptTrail {
  readonly waits: Record<string, { count: number; plannedMs: number }> = {};
  /** Pairs of pass and item that were asked for. */
  get operations(): number {
    return this.#attempts.size;
  }

  earlyRetries = 0;
  succeeded = 0;
  quotaGoneMs: number | undefined;
  callsAfterQuota = 0;
  readonly #task: string;
  readonly #startedMs: number;
  readonly #notBefore = new Map<string, number>();
  readonly #attempts = new Map<string, number>();
  #lastBilled = { ordinal: 0, arrivedMs: 0 };
  #firstQuota: number | undefined;
  #requests = 0;

  /** @param startedMs scenario time at which the client starts; times of its logs count from there */
  constructor(task: string, startedMs: number) {
    this.#task = task;
    this.#startedMs = startedMs;
  }

  /** Adds one attempt; returns what disagrees, as file and words. */
  add(
    row: TextRow,
    audit: AuditEntry | undefined,
    decision: DecisionEntry | undefined,
  ): [file: string, what: string][] {
    const wrong: [string, string][] = [];
    const missing = (file: string) =>
      wrong.push([file, `has no line for ${row.request_id}, or another one in its place`]);
    if (audit === undefined || !this.#auditAgrees(row, audit)) missing('audit.jsonl');
    if (decision === undefined || !this.#decisionAgrees(row, decision)) missing('decisions.jsonl');
    const operation = `${row.pass}/${row.item}`;
    const attempt = (this.#attempts.get(operation) ?? 0) + 1;
    this.#attempts.set(operation, attempt);
    if (Number(row.attempt) !== attempt)
      wrong.push([
        'requests.csv',
        `${row.request_id}: is attempt ${row.attempt} of its operation, but the ${attempt}. in the file`,
      ]);
    this.#follow(row, decision);
    return wrong;
  }

  /** A line of the audit log: its wait was begun, whether an attempt was sent before or not. */
  addWait({ wait_ms, wait_s, event }: AuditEntry): void {
    const plannedMs = wait_s === undefined ? wait_ms : wait_s * 1000;
    if (plannedMs === undefined || plannedMs === 0) return;
    const known = this.waits[event] ?? { count: 0, plannedMs: 0 };
    this.waits[event] = { count: known.count + 1, plannedMs: known.plannedMs + plannedMs };
  }

  close(): void {
    if (this.#firstQuota === undefined) return;
    this.quotaGoneMs = this.#lastBilled.ordinal === 0 ? this.#firstQuota : this.#lastBilled.arrivedMs;
    this.callsAfterQuota = this.#requests - this.#lastBilled.ordinal;
  }

  #auditAgrees(row: TextRow, { t, task, id, attempt, status, wait_s, wait_ms, event }: AuditEntry): boolean {
    const waitMs = wait_s === undefined ? wait_ms : wait_s * 1000;
    const said = [t + this.#startedMs, task, id, attempt, status, waitMs ?? '', event];
    const done = row.decision === 'done' ? 'ok' : row.because;
    return (
      said.join() === [row.received_ms, this.#task, row.item, row.attempt, row.status || 0, row.wait_ms, done].join()
    );
  }

  #decisionAgrees(row: TextRow, entry: DecisionEntry): boolean {
    const { t, task, id, attempt, status, decision, wait_ms, reason, told } = entry;
    const said = [t + this.#startedMs, task, id, attempt, status, decision, wait_ms ?? '', reason];
    const because = row.decision === 'done' ? 'done' : row.because;
    const head = [
      row.received_ms,
      this.#task,
      row.item,
      row.attempt,
      row.status || 0,
      row.decision,
      row.wait_ms,
      because,
    ];
    const seconds = /^[0-9]+$/.test(row.retry_after ?? '') && row.match === 'matched';
    return said.join() === head.join() && (!seconds || told?.wait_ms === Number(row.retry_after) * 1000);
  }

  /** By what the platform's order of arrival is told: on simulated time it is the order of sending. */
  #arrival(row: TextRow): number {
    return Number(row.arrival ?? row.request_id?.split('-').at(-1));
  }

  /** Requests of one item never overlap, so that their order here is the order in which they were sent. */
  #follow(row: TextRow, decision: DecisionEntry | undefined): void {
    const item = row.item ?? '';
    if (row.arrival !== '') this.#requests++;
    if (row.decision === 'done') this.succeeded++;
    if (Number(row.sent_ms) < (this.#notBefore.get(item) ?? 0)) this.earlyRetries++;
    const told = decision?.told;
    if (told?.kind === 'seconds' || told?.kind === 'date')
      this.#notBefore.set(item, Number(row.received_ms) + (told.wait_ms ?? 0));
    else if (row.reply_class !== 'no_reply' && row.reply_class !== 'never_arrived') this.#notBefore.delete(item);
    const ordinal = this.#arrival(row);
    if (row.billed === '1' && ordinal > this.#lastBilled.ordinal)
      this.#lastBilled = { ordinal, arrivedMs: Number(row.arrived_ms) };
    if (row.verdict === 'quota')
      this.#firstQuota = Math.min(this.#firstQuota ?? Number.POSITIVE_INFINITY, Number(row.arrived_ms));
  }
}
