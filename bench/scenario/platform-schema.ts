// The platform of a scenario file. One object a gate; the compiler holds the result against PlatformProfile.

import { z } from 'zod';
import { count, fields, hosts, rangeMs, share, wholeMs } from './fields.ts';

/** Seconds that a Retry-After header may state: a day at most is a wait, more is a mistake. */
const statedSeconds = z.int().min(0).max(86_400);

// What a header may hold: visible ASCII and spaces. A line break would end it; outer spaces do not survive the wire.
const headerText = z.string().regex(/^(?! )[\x20-\x7e]{0,200}(?<! )$/, {
  error: 'up to 200 visible ASCII characters, no space at either end',
});

const retryAfter = z.discriminatedUnion('form', [
  fields({ form: z.literal('seconds'), value_s: statedSeconds.optional() }),
  fields({ form: z.literal('http-date'), value_s: statedSeconds.optional() }),
  fields({ form: z.literal('absent') }),
  fields({ form: z.literal('text'), value: headerText }),
]);

const scriptedReply = fields({
  status: z.int().min(200).max(599),
  retry_after: headerText.optional(),
  quota: z.boolean().optional(),
  lost: z.boolean().optional(),
});

const gate = z.discriminatedUnion('gate', [
  fields({
    gate: z.literal('scripted'),
    replies: z.array(scriptedReply).max(1000),
    after: z.enum(['ok', 'last']).default('ok'),
  }),
  fields({
    gate: z.literal('edge_token_bucket'),
    refill_per_s: z.number().min(0).max(1_000_000),
    burst: z.number().min(1).max(1_000_000_000),
    retry_after: retryAfter,
  }),
  fields({ gate: z.literal('soft_limit'), rate: share, retry_after: retryAfter }),
  fields({ gate: z.literal('monthly_quota'), calls: z.int().min(0).max(1_000_000_000), retry_after: retryAfter }),
  fields({ gate: z.literal('billing') }),
  fields({ gate: z.literal('fault'), rate: share }),
  fields({
    gate: z.literal('burst_fault'),
    good_s: z.number().min(0.1).max(2_000_000),
    bad_s: z.number().min(0.1).max(2_000_000),
    good_rate: share,
    bad_rate: share,
  }),
  fields({
    gate: z.literal('outage'),
    from_s: z.int().min(0).max(2_000_000),
    to_s: z.int().min(0).max(2_000_000),
    retry_after: retryAfter,
    hosts: hosts.optional(),
  }),
]);

const HOUR_MS = 3_600_000;
/** A reply that takes longer than an hour is none. */
const latencyRange = rangeMs.refine(([, high]) => high <= HOUR_MS, { error: 'up to 3600000 ms' });

/** Gates at most: every request meets each of them. */
const MAX_GATES = 20;

export const platformSchema = fields({
  latency_ms: latencyRange,
  rejection_latency_ms: latencyRange,
  overhead_ms: wholeMs.max(HOUR_MS),
  gates: z
    .array(gate)
    .max(MAX_GATES)
    .superRefine((gates, context) => {
      const mistake = orderMistake(gates.map((each) => each.gate));
      if (mistake !== undefined) context.addIssue({ code: 'custom', message: mistake });
    }),
});

type GateName = z.output<typeof gate>['gate'];

/** What refuses without billing, and so must stand in front of it. */
const LIMITS: readonly GateName[] = ['edge_token_bucket', 'soft_limit', 'monthly_quota'];

/** Why the books of such a platform could not balance, said as what is allowed; undefined when they can. */
function orderMistake(names: readonly GateName[]): string | undefined {
  const backends = names.filter((name) => name === 'billing' || name === 'scripted');
  if (backends.length !== 1) return 'exactly one billing gate, or one scripted gate in its place';
  if (names.filter((name) => name === 'monthly_quota').length > 1) return 'one monthly_quota gate at most';
  const billed = names.findIndex((name) => name === 'billing' || name === 'scripted');
  if (names.slice(billed).some((name) => LIMITS.includes(name)))
    return `${LIMITS.join(', ')} in front of the billing gate only`;
  if (names.slice(0, billed).some((name) => name === 'fault' || name === 'burst_fault'))
    return 'a fault gate behind the billing gate only, since a 500 is billed';
  if (names[billed] === 'scripted' && billed !== names.length - 1) return 'the scripted gate last';
  return undefined;
}

/** A year each way, and few enough to read. */
const STEP_S = 31_536_000;
const MAX_STEPS = 100;

const calendar = fields({
  trusted: z.boolean().default(true),
  steps: z
    .array(fields({ at_s: z.int().min(0).max(2_000_000), by_s: z.int().min(-STEP_S).max(STEP_S) }))
    .max(MAX_STEPS)
    .default([])
    .superRefine((steps, context) => {
      steps.forEach(({ at_s }, i) => {
        const beforeS = steps[i - 1]?.at_s ?? -1;
        if (at_s > beforeS) return;
        context.addIssue({
          code: 'custom',
          path: [i, 'at_s'],
          message: `more than the one before, which is ${beforeS}`,
        });
      });
    }),
});

export const taskSchema = fields({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, { error: 'letters, digits, dot, dash and underscore' }),
  items: count.max(1_000_000),
  client_start_ms: wholeMs,
  prep_ms: wholeMs,
  calendar: calendar.optional(),
});
