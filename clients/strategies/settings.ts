// A strategy as data: one scheduler and an ordered list of policies, each named by its tag. Scenario files say the same in
// snake_case (bench/scenario/strategy-schema.ts); the compiler holds the two together.

import type { CheckpointedItemsSettings } from '../schedulers/checkpointed-items.ts';
import type { ReplayBatchesSettings } from '../schedulers/replay-batches.ts';
import type { PolicySettings } from './build-policies.ts';

export type SchedulerSettings =
  | ({ readonly kind: 'replay_batches' } & ReplayBatchesSettings)
  | ({ readonly kind: 'checkpointed_items' } & CheckpointedItemsSettings);

export interface StrategySettings {
  readonly scheduler: SchedulerSettings;
  readonly policies: readonly PolicySettings[];
}

/** A named strategy of the catalogue. */
export interface Strategy {
  /** One line: what it is. */
  readonly summary: string;
  /** Where it comes from. */
  readonly source: string;
  readonly settings: StrategySettings;
}
