// The ledger by request: the platform's record and the client's record of one request are joined by its id, and dropped as
// soon as both are there, so that memory holds only what is under way. What is left at the end is a discrepancy.

import type { AttemptResult, Decision, Operation, ReplyClass } from '../../clients/policy.ts';
import type { Reply } from '../../clients/ports.ts';
import type { Verdict, VerdictClass } from '../../platform-sim/types.ts';
import { requestId } from '../../platform-sim/wire.ts';

/** One flat record per request, both sides of it; the columns of requests.csv. Times in ms of scenario time. */
export interface RequestRow {
  readonly request_id: string;
  readonly item: number | undefined;
  readonly pass: number | undefined;
  readonly attempt: number | undefined;
  readonly sent_ms: number | undefined;
  readonly arrived_ms: number | undefined;
  readonly verdict: VerdictClass | undefined;
  readonly billed: 0 | 1 | undefined;
  readonly latency_ms: number | undefined;
  readonly received_ms: number | undefined;
  readonly status: number | undefined;
  readonly reply_class: string | undefined;
  readonly retry_after: string | undefined;
  readonly decision: 'done' | 'retry' | 'stop' | undefined;
  readonly wait_ms: number | undefined;
  readonly because: string | undefined;
  readonly match: Match;
}

export const REQUEST_COLUMNS = [
  'request_id',
  'item',
  'pass',
  'attempt',
  'sent_ms',
  'arrived_ms',
  'verdict',
  'billed',
  'latency_ms',
  'received_ms',
  'status',
  'reply_class',
  'retry_after',
  'decision',
  'wait_ms',
  'because',
  'match',
] as const satisfies readonly (keyof RequestRow)[];

/**
 * `matched`; `unheard` when the reply reached nobody, as the client says too; `never_arrived` when the platform knows of no
 * request, as the client says too; or how the two records disagree.
 */
export type Match = (typeof AGREED)[number] | 'class_differs' | 'platform_only' | 'client_only';

/**
 * Both records say the same. The last two are of real time alone: `crossed`, the platform wrote its reply to a client that had
 * just given up; `withdrawn`, the client gave up before the platform had read the request.
 */
export const AGREED = ['matched', 'unheard', 'never_arrived', 'crossed', 'withdrawn'] as const;

/** What a client must have seen for each verdict. */
export const SEEN_AS: Readonly<Record<VerdictClass, ReplyClass>> = {
  ok: 'ok',
  error500: 'error500',
  error503: 'error503',
  unavailable: 'error503',
  edge: 'limit429',
  soft: 'limit429',
  quota: 'quota429',
  other: 'other',
};

interface PlatformRecord {
  readonly client: string;
  readonly arrivedMs: number;
  readonly verdict: Verdict;
}

/** What the ledger needs of the client's record. */
export interface JoinedAttempt extends Pick<AttemptResult, 'attempt' | 'sentMs' | 'receivedMs' | 'replyClass'> {
  readonly operation: Pick<Operation, 'item' | 'pass'>;
  readonly reply: Pick<Reply, 'status'> | undefined;
}

export class RequestJoin {
  readonly #sink: (row: RequestRow) => void;
  readonly #client: string;
  readonly #platformSide = new Map<number, PlatformRecord>();

  /** @param client name of the one client of the night */
  constructor(client: string, sink: (row: RequestRow) => void) {
    this.#client = client;
    this.#sink = sink;
  }

  readonly verdict = (client: string, ordinal: number, arrivedMs: number, verdict: Verdict): void => {
    this.#platformSide.set(ordinal, { client, arrivedMs, verdict });
  };

  /** @param decision undefined when the client keeps its decisions to itself */
  readonly attempt = (ordinal: number, result: JoinedAttempt, decision?: Decision): void => {
    const record = this.#platformSide.get(ordinal);
    this.#platformSide.delete(ordinal);
    this.#sink(joined(this.#client, ordinal, record, result, decision));
  };

  /** Hands out what only the platform knows of. Call when the night has ended. */
  close(): void {
    for (const [ordinal, record] of this.#platformSide) {
      this.#sink({
        ...EMPTY_ROW,
        request_id: requestId(record.client, ordinal),
        ...platformColumns(record),
        match: 'platform_only',
      });
    }
    this.#platformSide.clear();
  }
}

export const EMPTY_ROW: RequestRow = {
  request_id: '',
  item: undefined,
  pass: undefined,
  attempt: undefined,
  sent_ms: undefined,
  arrived_ms: undefined,
  verdict: undefined,
  billed: undefined,
  latency_ms: undefined,
  received_ms: undefined,
  status: undefined,
  reply_class: undefined,
  retry_after: undefined,
  decision: undefined,
  wait_ms: undefined,
  because: undefined,
  match: 'client_only',
};

function platformColumns({ arrivedMs, verdict }: PlatformRecord) {
  const billed: 0 | 1 = verdict.billed ? 1 : 0;
  return { arrived_ms: arrivedMs, verdict: verdict.verdictClass, billed, latency_ms: verdict.latencyMs };
}

function joined(
  client: string,
  ordinal: number,
  record: PlatformRecord | undefined,
  result: JoinedAttempt,
  decision: Decision | undefined,
): RequestRow {
  return {
    ...EMPTY_ROW,
    ...(record === undefined ? undefined : platformColumns(record)),
    request_id: requestId(client, ordinal),
    item: result.operation.item,
    pass: result.operation.pass,
    attempt: result.attempt,
    sent_ms: result.sentMs,
    received_ms: result.receivedMs,
    status: result.reply?.status,
    reply_class: result.replyClass,
    retry_after: record?.verdict.retryAfter,
    ...decisionColumns(decision),
    match: matchOf(record, result),
  };
}

function matchOf(record: PlatformRecord | undefined, { replyClass }: JoinedAttempt): Match {
  if (record === undefined) return replyClass === 'never_arrived' ? 'never_arrived' : 'client_only';
  if (replyClass === 'no_reply') return 'unheard';
  return SEEN_AS[record.verdict.verdictClass] === replyClass ? 'matched' : 'class_differs';
}

export function decisionColumns(decision: Decision | undefined): Pick<RequestRow, 'decision' | 'wait_ms' | 'because'> {
  if (decision === undefined) return { decision: undefined, wait_ms: undefined, because: undefined };
  if (decision.kind === 'retry') return { decision: 'retry', wait_ms: decision.waitMs, because: decision.because };
  const done = decision.reason === 'done';
  return { decision: done ? 'done' : 'stop', wait_ms: undefined, because: done ? undefined : decision.reason };
}
