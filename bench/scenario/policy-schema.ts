// Policies in a scenario file, one schema each with its bounds. Apart from strategies, which are made of them.

import { z } from 'zod';
import type { PolicySettings } from '../../clients/strategies/build-policies.ts';
import { type Camel, count, fields, positiveMs, rangeMs, type Same, share, wholeMs } from './fields.ts';

const attempts = z.int().min(1).max(1000);
const capMs = wholeMs;
const whenOpen = z.enum(['wait', 'fail']);
/** Left out it is false. */
const perHost = z.boolean().optional();
const status = z.int().min(100).max(599);

export const policySchema = z.discriminatedUnion('policy', [
  fields({ policy: z.literal('attempt_cap'), attempts }),
  fields({ policy: z.literal('immediate') }),
  fields({ policy: z.literal('quota_stop') }),
  fields({ policy: z.literal('call_budget'), calls: z.int().min(0).max(1_000_000_000) }),
  fields({ policy: z.literal('rate_cap'), per_s: z.number().min(0.001).max(1_000_000) }),
  fields({ policy: z.literal('adaptive_rate'), per_host: perHost }),
  fields({
    policy: z.literal('classification'),
    retry_statuses: z.array(status).max(100),
    method_safety: z.boolean().default(true),
    knows_quota: z.boolean().default(true),
  }),
  fields({
    policy: z.literal('retry_after'),
    too_long: z.enum(['never_shorten', 'cap', 'clamp_to_backoff']).default('never_shorten'),
    limit_ms: wholeMs,
    floor_ms: wholeMs.default(0),
    fallback_ms: wholeMs.nullable().default(null),
    jitter_ms: rangeMs.default([0, 0]),
    only_limits: z.boolean().default(false),
  }),
  fields({
    policy: z.literal('deadline'),
    budget_ms: positiveMs,
    reserve_ms: wholeMs.default(0),
    attempt_ms: positiveMs.nullable().default(null),
  }),
  fields({ policy: z.literal('fixed_backoff'), wait_ms: wholeMs }),
  fields({ policy: z.literal('exponential_backoff'), base_ms: wholeMs, cap_ms: capMs, jitter_ms: rangeMs }),
  fields({
    policy: z.literal('jittered_backoff'),
    jitter: z.enum(['none', 'full', 'equal', 'decorrelated', 'proportional', 'downward']),
    base_ms: wholeMs,
    cap_ms: capMs,
    factor: z.number().min(1).max(1000).default(2),
    share: share.default(0),
  }),
  fields({ policy: z.literal('aws_backoff'), transient_base_ms: wholeMs, throttling_base_ms: wholeMs, cap_ms: capMs }),
  fields({
    policy: z.literal('aws_retry_quota'),
    capacity: z.int().min(0).max(1_000_000),
    transient_cost: z.int().min(0).max(1_000_000),
    throttling_cost: z.int().min(0).max(1_000_000),
    no_retry_refund: z.int().min(0).max(1_000_000),
    per_host: perHost,
  }),
  // Bounds of gRFC A6: at most 1,000 tokens, and a ratio above 0.
  fields({
    policy: z.literal('grpc_throttle'),
    max_tokens: z.int().min(1).max(1000),
    token_ratio: z.number().gt(0).max(1000),
    per_host: perHost,
  }),
  fields({
    policy: z.literal('finagle_budget'),
    percent_can_retry: z.number().min(0).max(1000),
    min_retries_per_s: z.number().min(0).max(1_000_000),
    ttl_ms: z.int().min(1000).max(60_000),
    per_host: perHost,
  }),
  fields({
    policy: z.literal('envoy_budget'),
    budget_percent: z.number().min(0).max(100),
    min_retry_concurrency: z.int().min(0).max(1_000_000),
    per_host: perHost,
  }),
  fields({
    policy: z.literal('circuit_breaker'),
    failure_rate: share.gt(0),
    window_ms: positiveMs,
    min_calls: count,
    cooldown_ms: positiveMs,
    probes: attempts,
    limits_are_failures: z.boolean(),
    when_open: whenOpen,
    per_host: perHost,
  }),
  fields({
    policy: z.literal('consecutive_breaker'),
    threshold: count,
    cooldown_ms: positiveMs,
    probes: attempts,
    limits_are_failures: z.boolean(),
    when_open: whenOpen,
    per_host: perHost,
  }),
]);
export type PolicyFile = z.output<typeof policySchema>;

/** @public Fails to compile when a policy of the code has no twin here, or the other way round. */
export const POLICY_TWINS: Same<Camel<PolicyFile>, PolicySettings> = true;
