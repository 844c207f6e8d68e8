// Strategies in a scenario file: the settings of clients/strategies in snake_case. The compiler holds the two together, so
// a policy can not be added to one side only.

import { z } from 'zod';
import type { PolicySettings } from '../../clients/strategies/build-policies.ts';
import type { SchedulerSettings } from '../../clients/strategies/settings.ts';
import { type Camel, count, fields, positiveMs, rangeMs, share, wholeMs } from './fields.ts';

const concurrency = z.int().min(1).max(1000);

const schedulers = {
  replay_batches: fields({
    kind: z.literal('replay_batches'),
    concurrency,
    batch_size: count,
    max_passes: z.int().min(1).max(1000),
    pause_after_pass_ms: wholeMs,
  }),
  checkpointed_items: fields({
    kind: z.literal('checkpointed_items'),
    concurrency,
    hold_slot_while_waiting: z.boolean(),
  }),
};

export const policies = {
  attempt_cap: fields({ policy: z.literal('attempt_cap'), attempts: z.int().min(1).max(1000) }),
  immediate: fields({ policy: z.literal('immediate') }),
  quota_stop: fields({ policy: z.literal('quota_stop') }),
  call_budget: fields({ policy: z.literal('call_budget'), calls: z.int().min(0).max(1_000_000_000) }),
  retry_after: fields({ policy: z.literal('retry_after'), cap_ms: wholeMs, fallback_ms: wholeMs }),
  exponential_backoff: fields({
    policy: z.literal('exponential_backoff'),
    base_ms: wholeMs,
    cap_ms: wholeMs,
    jitter_ms: rangeMs,
  }),
  circuit_breaker: fields({
    policy: z.literal('circuit_breaker'),
    failure_rate: share.gt(0),
    window_ms: positiveMs,
    min_calls: count,
    cooldown_ms: positiveMs,
    probes: z.int().min(1).max(1000),
    limits_are_failures: z.boolean(),
    when_open: z.enum(['wait', 'fail']),
  }),
};

export const schedulerSchema = z.discriminatedUnion('kind', [schedulers.replay_batches, schedulers.checkpointed_items]);
export const policySchema = z.discriminatedUnion('policy', [
  policies.attempt_cap,
  policies.immediate,
  policies.quota_stop,
  policies.call_budget,
  policies.retry_after,
  policies.exponential_backoff,
  policies.circuit_breaker,
]);

export type PolicyFile = z.output<typeof policySchema>;

type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
/** @public Fails to compile when a policy or a scheduler of the code has no twin here, or the other way round. */
export const TWINS: Same<Camel<z.output<typeof policySchema>>, PolicySettings> &
  Same<Camel<z.output<typeof schedulerSchema>>, SchedulerSettings> = true;

/** Policies at most: each is asked for every attempt. */
const MAX_POLICIES = 30;
const policyName = z.enum(policySchema.options.map((option) => option.shape.policy.value));

/** One strategy of a file: another one with changes, or a whole of its own. */
export const strategySchema = z.union([
  fields({ scheduler: schedulerSchema, policies: z.array(policySchema).max(MAX_POLICIES) }),
  fields({
    /** Name in the catalogue; the strategy's own name when left out. */
    extends: z.string().optional(),
    /** Settings of the scheduler that change. */
    scheduler: z.record(z.string(), z.unknown()).optional(),
    /** Settings of policies that change, by the policy's name. */
    set: z.partialRecord(policyName, z.record(z.string(), z.unknown())).optional(),
    /** Policies to leave out, by name. */
    without: z.array(policyName).max(MAX_POLICIES).optional(),
    /** Policies to add behind the others; one of a kind that is there takes its place. */
    with: z.array(policySchema).max(MAX_POLICIES).optional(),
  }),
]);
export type StrategyFile = z.output<typeof strategySchema>;

/** In the catalogue's names: letters, digits and dashes; it is the client's name on the wire. */
export const strategyName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,63}$/, { error: 'small letters, digits and dashes, a letter first' });
