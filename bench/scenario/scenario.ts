// A scenario: a platform's profile, a task and the strategies to compare, read from a YAML file once and frozen. Everything
// downstream takes it as a value.

import { createHash } from 'node:crypto';
import type { StrategySettings } from '../../clients/strategies/settings.ts';
import type { PlatformProfile } from '../../platform-sim/profile.ts';

export interface TaskProfile {
  readonly name: string;
  readonly items: number;
  /** How long after the platform's clock the client starts. */
  readonly clientStartMs: number;
  /** Waited before every attempt. */
  readonly prepMs: number;
  /** What the client's own calendar does; undefined when it goes as the platform's does. */
  readonly calendar?: ClientCalendar;
}

/** A calendar that is set to another time, or that nobody can rely on. The monotonic clock knows nothing of it. */
export interface ClientCalendar {
  readonly trusted: boolean;
  /** In order of time; each adds to those before it, from its moment on. */
  readonly steps: readonly { readonly atMs: number; readonly byMs: number }[];
}

/** What a call costs that is billed. */
export interface Price {
  readonly perCall: number;
  /** Such as USD. */
  readonly currency: string;
}

export interface Scenario {
  readonly name: string;
  readonly description: string;
  readonly limits: {
    /** Scenario time that no night may pass. */
    readonly scenarioTimeMs: number;
  };
  readonly profile: PlatformProfile;
  readonly task: TaskProfile;
  readonly strategies: Readonly<Record<string, StrategySettings>>;
  /** It changes no night, only what a night is said to cost. */
  readonly price?: Price | undefined;
  /** Paths of the values in the file that no document states and a search found. */
  readonly fitted: readonly string[];
  /** Of everything that can change a night: two scenarios with equal hashes have equal nights. */
  readonly hash: string;
}

/** Adds the hash, and freezes at every depth. */
export function seal(scenario: Omit<Scenario, 'hash'>): Scenario {
  const { limits, profile, task, strategies } = scenario;
  const text = JSON.stringify(sorted({ limits, profile, task, strategies }));
  return freeze({ ...scenario, hash: createHash('sha256').update(text).digest('hex') });
}

/** Whether a setting says no more than its absence does. */
const saysNothing = (key: string, value: unknown): boolean =>
  value === undefined || (key === 'perHost' && value === false);

/** With object keys in order, so that the order in which they were written does not count; lists keep theirs. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key, inner]) => !saysNothing(key, inner));
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, inner]) => [key, sorted(inner)]));
}

function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const inner of Object.values(value)) freeze(inner);
  }
  return value;
}
