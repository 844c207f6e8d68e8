// Strategies in a scenario file: the settings of clients/strategies in snake_case. The compiler holds the two together, so
// a policy can not be added to one side only.

import { z } from 'zod';
import type { RequestSettings, SchedulerSettings } from '../../clients/strategies/settings.ts';
import { READING } from '../../clients/task.ts';
import { type Camel, count, fields, hosts, type Same, wholeMs } from './fields.ts';
import { policySchema } from './policy-schema.ts';

const concurrency = z.int().min(1).max(1000);

const schedulers = {
  replay_batches: fields({
    kind: z.literal('replay_batches'),
    concurrency,
    batch_size: count,
    max_passes: z.int().min(1).max(1000),
    pause_after_pass_ms: wholeMs,
    skip_done: z.boolean().default(false),
  }),
  checkpointed_items: fields({
    kind: z.literal('checkpointed_items'),
    concurrency,
    hold_slot_while_waiting: z.boolean(),
  }),
};

export const schedulerSchema = z.discriminatedUnion('kind', [schedulers.replay_batches, schedulers.checkpointed_items]);
/** What a client sends, and how it reads what it is told; everything may be left out. */
export const requestSchema = fields({
  method: z.enum(['GET', 'HEAD', 'PUT', 'DELETE', 'POST', 'PATCH']).default(READING.method),
  idempotency_keys: z.boolean().default(READING.idempotencyKeys),
  hosts: hosts.optional(),
  told_wait: fields({
    sources: z
      .array(z.enum(['retry-after-ms', 'x-amz-retry-after', 'retry-after', 'ratelimit', 'x-ratelimit-reset']))
      .max(10)
      .default([...READING.toldWait.sources]),
    reset_unit: z.enum(['delta_seconds', 'epoch_seconds', 'epoch_ms']).default(READING.toldWait.resetUnit),
    doubled: z.enum(['first', 'last', 'invalid']).default(READING.toldWait.doubled),
    fractions: z.enum(['invalid', 'ceil']).default(READING.toldWait.fractions),
  }).prefault({}),
  unlabelled_limits: z.enum(['rate', 'quota']).default(READING.unlabelledLimits),
  cache_entries: z.int().min(0).max(1_000_000).default(READING.cacheEntries),
});

/** @public Fail to compile when the code has a setting that has no twin here, or the other way round. */
export const SCHEDULER_TWINS: Same<Camel<z.output<typeof schedulerSchema>>, SchedulerSettings> = true;
/** @public */
export const REQUEST_TWINS: Same<Camel<z.output<typeof requestSchema>>, RequestSettings> = true;

/** Policies at most: each is asked for every attempt. */
const MAX_POLICIES = 30;
const policyName = z.enum(policySchema.options.map((option) => option.shape.policy.value));

const chance = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,63}$/, { error: 'small letters, digits and dashes, a letter first' });

/** One strategy of a file: another one with changes, or a whole of its own. */
export const strategySchema = z.union([
  fields({
    request: requestSchema.prefault({}),
    scheduler: schedulerSchema,
    policies: z.array(policySchema).max(MAX_POLICIES),
    chance: chance.optional(),
  }),
  fields({
    /** Name in the catalogue; the strategy's own name when left out. */
    extends: z.string().optional(),
    /** Settings of the request that change. */
    request: z.record(z.string(), z.unknown()).optional(),
    /** Settings of the scheduler that change. */
    scheduler: z.record(z.string(), z.unknown()).optional(),
    /** Settings of policies that change, by the policy's name. */
    set: z.partialRecord(policyName, z.record(z.string(), z.unknown())).optional(),
    /** Policies to leave out, by name. */
    without: z.array(policyName).max(MAX_POLICIES).optional(),
    /** Policies to add behind the others; one of a kind that is there takes its place. */
    with: z.array(policySchema).max(MAX_POLICIES).optional(),
    /** Whose draws the jitter is of. */
    chance: chance.optional(),
  }),
]);
export type StrategyFile = z.output<typeof strategySchema>;

/** In the catalogue's names: letters, digits and dashes; it is the client's name on the wire. */
export const strategyName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,63}$/, { error: 'small letters, digits and dashes, a letter first' });
