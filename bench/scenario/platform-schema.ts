// The platform of a scenario file. One object a gate; the compiler holds the result against PlatformProfile.

import { z } from 'zod';
import { count, fields, rangeMs, share, wholeMs } from './fields.ts';

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
    gate: z.literal('outage'),
    from_s: z.int().min(0).max(2_000_000),
    to_s: z.int().min(0).max(2_000_000),
    retry_after: retryAfter,
  }),
]);

/** Gates at most: every request meets each of them. */
const MAX_GATES = 20;

export const platformSchema = fields({
  latency_ms: rangeMs,
  rejection_latency_ms: rangeMs,
  overhead_ms: wholeMs,
  gates: z
    .array(gate)
    .max(MAX_GATES)
    .refine((gates) => places(gates, 'billing').length <= 1, { error: 'one billing gate at most' })
    .refine((gates) => places(gates, 'monthly_quota').length <= 1, { error: 'one monthly_quota gate at most' })
    // Otherwise the books could not balance: a 500 is billed, and a quota that nothing counts against is none.
    .refine((gates) => first(gates, 'fault') > first(gates, 'billing'), {
      error: 'a billing gate in front of every fault gate',
    })
    .refine(
      (gates) => first(gates, 'monthly_quota') < first(gates, 'billing') || places(gates, 'monthly_quota').length === 0,
      {
        error: 'a billing gate behind the monthly_quota gate',
      },
    ),
});

type GateName = z.output<typeof gate>['gate'];

const places = (gates: readonly z.output<typeof gate>[], name: GateName): number[] =>
  gates.flatMap((each, index) => (each.gate === name ? [index] : []));

/** Place of the first gate of a kind; behind all others when there is none, and there a fault comes last of all. */
function first(gates: readonly z.output<typeof gate>[], name: GateName): number {
  return places(gates, name)[0] ?? (name === 'fault' ? MAX_GATES + 1 : MAX_GATES);
}

export const taskSchema = fields({
  name: z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, { error: 'letters, digits, dot, dash and underscore' }),
  items: count.max(1_000_000),
  client_start_ms: wholeMs,
  prep_ms: wholeMs,
});
