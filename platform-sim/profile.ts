// A platform's profile: the part of a scenario that the platform needs, as frozen settings. The order of the list is the
// order in which a request meets the gates.

import type { BurstFaultSettings } from './gates/burst-fault.ts';
import type { EdgeTokenBucketSettings } from './gates/edge-token-bucket.ts';
import type { FaultSettings } from './gates/fault.ts';
import type { MonthlyQuotaSettings } from './gates/monthly-quota.ts';
import type { OutageSettings } from './gates/outage.ts';
import type { ScriptedSettings } from './gates/scripted.ts';
import type { SoftLimitSettings } from './gates/soft-limit.ts';

export type GateSettings =
  | ({ readonly gate: 'edge_token_bucket' } & EdgeTokenBucketSettings)
  | ({ readonly gate: 'soft_limit' } & SoftLimitSettings)
  | ({ readonly gate: 'monthly_quota' } & MonthlyQuotaSettings)
  | { readonly gate: 'billing' }
  | ({ readonly gate: 'fault' } & FaultSettings)
  | ({ readonly gate: 'burst_fault' } & BurstFaultSettings)
  | ({ readonly gate: 'outage' } & OutageSettings)
  | ({ readonly gate: 'scripted' } & ScriptedSettings);

/** Whole milliseconds, both ends included. */
export type RangeMs = readonly [low: number, high: number];

export interface PlatformProfile {
  /** Calendar time at scenario time 0, ms since 1970. */
  readonly epochMs: number;
  /** Time until the answer of a request that reached the backend. */
  readonly latencyMs: RangeMs;
  /** Time until the answer of a request that was refused before it. */
  readonly rejectionLatencyMs: RangeMs;
  /** Added to every answer: client, network and framework. */
  readonly overheadMs: number;
  readonly gates: readonly GateSettings[];
}
