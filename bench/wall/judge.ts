// Whether a night on real time was worth its time: what the machine did to it, in scenario time, against what the scenario is
// made of. A void night is one in which the generator was saturated: it measured this machine and not the strategy.

import type { Scenario } from '../scenario/scenario.ts';
import type { WorkerHealth } from './worker-health.ts';

export interface Measured {
  readonly speed: number;
  readonly platform: WorkerHealth;
  readonly client: WorkerHealth;
  /** What a reply took beyond the latency that the platform meant, mean, ms of scenario time. */
  readonly overheadMs: number;
}

export interface Judgement {
  /** The longest of 99 in 100 turns of the event loop of either thread, ms of scenario time. */
  readonly loop_delay_ms: number;
  /** Mean lateness of the client's timers, ms of scenario time. */
  readonly timer_error_ms: number;
  /** As in Measured. */
  readonly overhead_ms: number;
  /** By how much all that makes a shortest attempt longer, as a share of it. */
  readonly slip: number;
  readonly warnings: readonly string[];
  /** Why the night is void; empty when it is not. */
  readonly void_because: readonly string[];
}

/**
 * An attempt that is longer by a share makes a minute shorter of calls by that share. The minutes of the storm night swing
 * by 3 % to each side: a slip of 1 % can not be told from chance in one night, one of 5 % is beyond it in every minute.
 */
export const SLIP_WARNING = 0.01;
export const SLIP_VOID = 0.05;

export function judge({ profile, task }: Scenario, { speed, platform, client, overheadMs }: Measured): Judgement {
  const loopDelayMs = speed * Math.max(platform.loopDelayMs.p99, client.loopDelayMs.p99);
  const timerErrorMs = speed * client.timerErrorMs.mean;
  const { latencyMs, rejectionLatencyMs, overheadMs: always } = profile;
  const shortestMs = Math.min(latencyMs[0], rejectionLatencyMs[0]) + always;
  const billedMs = latencyMs[0] + always;
  const cycleMs = task.prepMs + billedMs;
  const slip = cycleMs === 0 ? 0 : (overheadMs + timerErrorMs) / cycleMs;
  const warnings: string[] = [];
  const voidBecause: string[] = [];
  // A turn longer than the shortest reply can turn the order of two replies around; one longer than a whole billed reply has
  // the thread answer to requests that its client has had time to give up.
  const delayed = `one event-loop turn in a hundred was late by ${ms(loopDelayMs)} or more`;
  if (loopDelayMs > billedMs) voidBecause.push(`${delayed}, longer than the shortest billed reply (${ms(billedMs)})`);
  else if (loopDelayMs > shortestMs) warnings.push(`${delayed}, longer than the shortest reply (${ms(shortestMs)})`);
  const slipped = `every attempt took ${ms(overheadMs + timerErrorMs)} more than it should, ${(100 * slip).toFixed(1)} % of the shortest`;
  if (slip > SLIP_VOID) voidBecause.push(`${slipped} (allowed: ${100 * SLIP_VOID} %)`);
  else if (slip > SLIP_WARNING) warnings.push(`${slipped} (faithful: ${100 * SLIP_WARNING} %)`);
  const figures = {
    loop_delay_ms: rounded(loopDelayMs),
    timer_error_ms: rounded(timerErrorMs),
    overhead_ms: rounded(overheadMs),
  };
  return { ...figures, slip: Math.round(slip * 10_000) / 10_000, warnings, void_because: voidBecause };
}

const rounded = (value: number): number => Math.round(value * 10) / 10;
const ms = (value: number): string => `${rounded(value)} ms of scenario time`;
