// The records by request of either side of a night on real time: each thread writes its own file, and knows nothing of the
// other's. join-records.ts puts them together when both have ended.

import type { Decision, ReplyClass } from '../../clients/policy.ts';
import type { NoReplyCause } from '../../platform-sim/no-reply.ts';
import type { VerdictClass } from '../../platform-sim/types.ts';

/** A request that arrived, written when its reply was settled. Times in ms of scenario time. */
export interface PlatformRecord {
  readonly client: string;
  readonly ordinal: number;
  /** Its number in the order of arrival, from 1. */
  readonly arrival: number;
  readonly arrivedMs: number;
  readonly settledMs: number;
  readonly verdict: VerdictClass;
  readonly billed: 0 | 1;
  readonly latencyMs: number;
  readonly retryAfter?: string;
  /** 1 when the reply reached nobody, as far as the platform could tell. */
  readonly unheard: 0 | 1;
}

/** An attempt that ended. */
export interface AttemptRecord {
  readonly ordinal: number;
  readonly item: number;
  readonly pass: number;
  readonly attempt: number;
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly status?: number;
  readonly replyClass: ReplyClass;
  readonly noReply?: NoReplyCause;
  readonly decision: Decision;
}
