// Holds the retry quota against the sequences of the SDKs' own tests, together with the cap and the backoff that they are
// told with, and its bounds for any interleaving.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import fc from 'fast-check';
import { type Decision, type Operation, type Policy, REPLY_CLASSES, type ReplyClass } from '../policy.ts';
import { PolicyChain } from '../policy-chain.ts';
import { operationOf, resultOf } from '../testing.ts';
import { attemptCap } from './attempt-cap.ts';
import { awsBackoff } from './aws-backoff.ts';
import { AwsRetryQuota, type AwsRetryQuotaSettings, RetryTokens } from './aws-retry-quota.ts';
import { immediate } from './immediate.ts';

const read = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../../../clients/testdata/aws-retry/${name}`, import.meta.url), 'utf8')) as T;

interface SpecCase {
  readonly name: string;
  readonly given: { readonly max_attempts?: number; readonly initial_retry_tokens?: number };
  readonly responses: readonly {
    readonly response: { readonly status_code: number; readonly error_code?: string };
    readonly expected: { readonly outcome: string; readonly retry_quota: number; readonly delay?: number };
  }[];
}
interface Timing {
  readonly name: string;
  readonly steps: readonly { readonly error_type: string; readonly cost: number | null }[];
}
const SPEC = read<{ cases: SpecCase[] }>('standard_mode_2026_spec_cases.json');
const TIMINGS = read<{ legacy: Timing[]; v2026: Timing[] }>('standard_mode_timings.json');
const BOTOCORE = read<{
  quota_2026: { initial: number; steps: { case: string; left?: number }[] };
  retry_quota_bucket: { max: number; steps: ['acquire' | 'release', number, boolean | null, number][] };
  dynamodb_like: { max_attempts: number; base_s: number; steps: [number, number, number | null][] };
  max_attempts_checker: { max_attempts: number; attempt_number_to_retryable: Record<string, boolean> };
  request_header: { total_max_attempts: number; statuses: number[]; requests: number };
  retry_after_ms_header: { quota_after_failure: number; quota_after_success: number };
}>('botocore_backoff_and_quota.json');

const V2026: AwsRetryQuotaSettings = { capacity: 500, transientCost: 14, throttlingCost: 5, noRetryRefund: 1 };
const EXHAUSTED = { kind: 'stop', reason: 'retry_budget_exhausted', scope: 'operation' };
const DONE: Decision = { kind: 'stop', reason: 'done', scope: 'operation' };

function classOf(status: number, throttled = false): ReplyClass {
  return status === 200 ? 'ok' : throttled ? 'limit429' : 'error500';
}

/** Plays the next attempt of an operation, as the driver does. */
function attempt(policies: readonly Policy[], operation: Operation, replyClass: ReplyClass): Decision {
  const chain = new PolicyChain(policies);
  operation.attempts++;
  const result = resultOf(replyClass, { operation, attempt: operation.attempts });
  chain.settle(result);
  return replyClass === 'ok' ? DONE : chain.decide(result);
}

const OUTCOMES: Readonly<Record<string, string>> = {
  success: 'done',
  max_attempts_exceeded: 'attempts_exhausted',
  retry_quota_exceeded: 'retry_budget_exhausted',
};

/** The cap, the backoff of 2026 without jitter, and the quota. */
function standardMode(quota: AwsRetryQuota, maxAttempts: number, transientBaseMs = 50): Policy[] {
  const backoff = awsBackoff({ transientBaseMs, throttlingBaseMs: 1000, capMs: 20_000 }, () => 1);
  return [attemptCap(maxAttempts), backoff, quota];
}

for (const { name, given, responses } of SPEC.cases) {
  test(`standard mode of 2026: ${name}`, () => {
    const quota = new AwsRetryQuota({ ...V2026, capacity: given.initial_retry_tokens ?? 500 });
    const policies = standardMode(quota, given.max_attempts ?? 3);
    let operation = operationOf(1, 0);
    for (const { response, expected } of responses) {
      const decision = attempt(policies, operation, classOf(response.status_code, response.error_code !== undefined));
      if (decision.kind === 'retry') {
        assert.equal(expected.outcome, 'retry_request');
        assert.equal(decision.waitMs, Number(expected.delay) * 1000);
      } else {
        assert.equal(decision.reason, OUTCOMES[expected.outcome]);
        operation = operationOf(1, 0);
      }
      assert.equal(quota.tokens, expected.retry_quota);
    }
  });
}

for (const [name, transientCost, cases] of [
  ['legacy', 10, TIMINGS.legacy],
  ['2026', 14, TIMINGS.v2026],
] as const) {
  test(`capacity left after each retry of smithy's standard mode, ${name}`, () => {
    assert.ok(cases.length > 0);
    for (const { name: title, steps } of cases) {
      const quota = new AwsRetryQuota({ ...V2026, transientCost });
      const operation = operationOf(1, 0);
      let left = 500;
      // The first step is the token that an operation begins with: it costs nothing and no attempt has failed.
      assert.equal(steps[0]?.cost, null);
      for (const { error_type, cost } of steps.slice(1)) {
        const replyClass = error_type === 'THROTTLING' ? 'limit429' : 'error503';
        assert.equal(attempt([immediate(), quota], operation, replyClass).kind, 'retry');
        left -= Number(cost);
        assert.equal(quota.tokens, left, title);
      }
    }
  });
}

/** botocore's steps by their names, each on a full quota of its own unless it says "then". */
const STEPS: Readonly<Record<string, (quota: AwsRetryQuota, operation: Operation) => void>> = {
  'transient or timeout error retry': (quota, operation) => attempt([immediate(), quota], operation, 'no_reply'),
  'throttling error retry': (quota, operation) => attempt([immediate(), quota], operation, 'limit429'),
  'then success': (quota, operation) => attempt([immediate(), quota], operation, 'ok'),
  'retry then final status 500': (quota, operation) => {
    attempt(standardMode(quota, 2), operation, 'error500');
    attempt(standardMode(quota, 2), operation, 'error500');
  },
  'success with no retry recorded after 14 taken': (quota, operation) => {
    attempt([immediate(), quota], operationOf(2, 0), 'error500');
    attempt([immediate(), quota], operation, 'ok');
  },
  '400 response, 50 taken beforehand': (quota, operation) => {
    for (let other = 2; other < 12; other++) attempt([immediate(), quota], operationOf(other, 0), 'limit429');
    attempt([quota], operation, 'other');
  },
};
/** Steps that say what the quota is, and no sum that is left: told in a test of their own. */
const OWN_CAPACITY = ['capacity 14: first retry ok, second refused', 'capacity 0: refused, flag RetryQuotaReached'];

test("botocore's steps", () => {
  let [quota, operation] = [new AwsRetryQuota(V2026), operationOf(1, 0)];
  for (const { case: title, left } of BOTOCORE.quota_2026.steps.filter((step) => !OWN_CAPACITY.includes(step.case))) {
    if (title !== 'then success') [quota, operation] = [new AwsRetryQuota(V2026), operationOf(1, 0)];
    STEPS[title]?.(quota, operation);
    assert.equal(quota.tokens, left, title);
  }
  assert.deepEqual(
    new Set(BOTOCORE.quota_2026.steps.map((step) => step.case)),
    new Set([...Object.keys(STEPS), ...OWN_CAPACITY]),
  );
});

test('capacity 14 pays for one retry, capacity 0 for none', () => {
  const operation = operationOf(1, 0);
  const policies = [immediate(), new AwsRetryQuota({ ...V2026, capacity: 14 })];
  assert.equal(attempt(policies, operation, 'error500').kind, 'retry');
  assert.deepEqual(attempt(policies, operation, 'error500'), EXHAUSTED);
  const none = new AwsRetryQuota({ ...V2026, capacity: 0 });
  assert.deepEqual(attempt([immediate(), none], operationOf(), 'limit429'), EXHAUSTED);
});

test("botocore's bucket", () => {
  const { max, steps } = BOTOCORE.retry_quota_bucket;
  const bucket = new RetryTokens(max);
  for (const [action, tokens, ok, left] of steps) {
    if (action === 'acquire') assert.equal(bucket.take(tokens), ok);
    else bucket.giveBack(tokens);
    assert.equal(bucket.left, left);
  }
});

test("botocore's client with a base of its own, its checker of attempts, and its count of requests", () => {
  const { max_attempts, base_s, steps } = BOTOCORE.dynamodb_like;
  const quota = new AwsRetryQuota(V2026);
  const operation = operationOf(1, 0);
  for (const [, left, delayS] of steps) {
    const decision = attempt(standardMode(quota, max_attempts, base_s * 1000), operation, 'error500');
    assert.equal(decision.kind === 'retry' ? decision.waitMs / 1000 : null, delayS);
    assert.equal(quota.tokens, left);
  }
  const checker = BOTOCORE.max_attempts_checker;
  const again = operationOf(1, 0);
  for (const retryable of Object.values(checker.attempt_number_to_retryable)) {
    const policies = standardMode(new AwsRetryQuota(V2026), checker.max_attempts);
    assert.equal(attempt(policies, again, 'error500').kind === 'retry', retryable);
  }
  const { total_max_attempts, statuses, requests } = BOTOCORE.request_header;
  const last = operationOf(1, 0);
  const policies = standardMode(new AwsRetryQuota(V2026), total_max_attempts);
  const ends = statuses.findIndex((status) => attempt(policies, last, classOf(status)).kind === 'stop');
  assert.equal(ends + 1, requests);
});

test('a wait that the server told costs what any retry costs', () => {
  // The waits of these rows, max(backoff, min(header, backoff + 5 s)), read x-amz-retry-after: no reply of ours has it, and
  // what a server tells is another policy's.
  const told: Policy = { name: 'told', decide: () => ({ kind: 'retry', waitMs: 1500, because: 'retry_after' }) };
  const quota = new AwsRetryQuota(V2026);
  const operation = operationOf(1, 0);
  attempt([told, quota], operation, 'error500');
  assert.equal(quota.tokens, BOTOCORE.retry_after_ms_header.quota_after_failure);
  attempt([told, quota], operation, 'ok');
  assert.equal(quota.tokens, BOTOCORE.retry_after_ms_header.quota_after_success);
});

test('without a retry to pay for it takes nothing and has no opinion', () => {
  const quota = new AwsRetryQuota(V2026);
  assert.equal(quota.decide(resultOf('error500'), undefined), undefined);
  assert.deepEqual(quota.budgetLeft(), { aws_retry_quota: 500 });
});

test('any interleaving: 0 to capacity, refused only when it can not pay, and nothing but success gives back', () => {
  const costs = fc.integer({ min: 1, max: 40 });
  const settings = fc.record({ capacity: fc.nat({ max: 200 }), transientCost: costs, throttlingCost: costs });
  const step = fc.record({ item: fc.nat({ max: 5 }), replyClass: fc.constantFrom(...REPLY_CLASSES, 'ok' as const) });
  fc.assert(
    fc.property(settings, fc.array(step, { maxLength: 150, size: 'max' }), (chosen, steps) => {
      const quota = new AwsRetryQuota({ ...chosen, noRetryRefund: 1 });
      const operations = new Map<number, Operation>();
      for (const { item, replyClass } of steps) {
        const operation = operations.get(item) ?? operationOf(item, 0);
        const before = quota.tokens;
        const decision = attempt([immediate(), quota], operation, replyClass);
        assert.ok(quota.tokens >= 0 && quota.tokens <= chosen.capacity, `${quota.tokens} tokens`);
        const cost = replyClass.endsWith('429') ? chosen.throttlingCost : chosen.transientCost;
        if (replyClass === 'ok') assert.ok(quota.tokens >= before);
        else assert.equal(quota.tokens, decision.kind === 'retry' ? before - cost : before);
        if (replyClass !== 'ok') assert.equal(decision.kind === 'retry', before >= cost);
        if (decision.kind === 'stop') operations.delete(item);
        else operations.set(item, operation);
      }
    }),
    { numRuns: 300 },
  );
});

test('no reply costs what any transient failure does, whether the request arrived or not', () => {
  for (const replyClass of ['error500', 'no_reply', 'never_arrived'] as const) {
    const quota = new AwsRetryQuota(V2026);
    attempt([immediate(), quota], operationOf(1, 0), replyClass);
    assert.equal(quota.tokens, V2026.capacity - V2026.transientCost, replyClass);
  }
});
