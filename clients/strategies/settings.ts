// A strategy as data: one scheduler and an ordered list of policies, each named by its tag. Scenario files say the same in
// snake_case (bench/scenario/strategy-schema.ts); the compiler holds the two together.

import type { Method } from '../ports.ts';
import type { ToldWaitSettings } from '../retry-after/read-told-wait.ts';
import type { CheckpointedItemsSettings } from '../schedulers/checkpointed-items.ts';
import type { ReplayBatchesSettings } from '../schedulers/replay-batches.ts';
import type { PolicySettings } from './build-policies.ts';

export type SchedulerSettings =
  | ({ readonly kind: 'replay_batches' } & ReplayBatchesSettings)
  | ({ readonly kind: 'checkpointed_items' } & CheckpointedItemsSettings);

/** What a client sends, and how it reads what it is told about waiting. */
export interface RequestSettings {
  readonly method: Method;
  /** Whether each operation carries an idempotency key. */
  readonly idempotencyKeys: boolean;
  /** Names of the hosts that items are dealt out to, item i to the one at i modulo their number; left out, one host. */
  readonly hosts?: readonly string[] | undefined;
  readonly toldWait: ToldWaitSettings;
  /** What a 429 is taken for that names no limit and tells no wait. */
  readonly unlabelledLimits: 'rate' | 'quota';
  /** Successes that are kept to answer repeats; 0 for none. */
  readonly cacheEntries: number;
}

export interface StrategySettings {
  readonly request: RequestSettings;
  readonly scheduler: SchedulerSettings;
  readonly policies: readonly PolicySettings[];
  /** Whose draws the client's own chance (jitter) is of: strategies that say the same here, or nothing, draw the same. */
  readonly chance?: string | undefined;
}

/** A named strategy of the catalogue. */
export interface Strategy {
  /** One line: what it is. */
  readonly summary: string;
  /** Where it comes from. */
  readonly source: string;
  readonly settings: StrategySettings;
}
