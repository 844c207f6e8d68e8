// Holds gRPC's throttling against grpc-go's own sequence and the numbers of proposal A6, and its bounds for any outcomes.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import fc from 'fast-check';
import { type Policy, REPLY_CLASSES, type ReplyClass, type Retry } from '../policy.ts';
import { PolicyChain } from '../policy-chain.ts';
import { operationOf, replyOf, resultOf } from '../testing.ts';
import { attemptCap } from './attempt-cap.ts';
import { GrpcThrottle } from './grpc-throttle.ts';
import { immediate } from './immediate.ts';

const read = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../../../clients/testdata/grpc-retry/${name}`, import.meta.url), 'utf8')) as T;

const THROTTLING = read<{
  given: { maxAttempts: number; maxTokens: number; tokenRatio: number; server_ok_on_attempt_index: number[] };
  calls: { code: string; last_attempt_index: number; tokens_after: number }[];
}>('throttling_sequence.json');
const COUNTS = read<{
  given: { maxAttempts: number; server_ok_on_attempt_index: number[]; server_nonretryable_on_attempt_index: number[] };
  calls: [code: string, lastAttemptIndex: number][];
}>('retry_counts.json');
const A6 = read<{
  throttle: { maxTokens: number; tokenRatio: number; failure_cost: number };
  validation: { tokenRatio: string };
}>('a6_examples.json');

const PROPOSAL: Retry = { kind: 'retry', waitMs: 100, because: 'backoff' };
const BLOCKED = { kind: 'stop', reason: 'retry_budget_exhausted', scope: 'operation' };

const retryableOnly: Policy = {
  name: 'retryable_only',
  decide: ({ replyClass }) =>
    replyClass === 'other' ? { kind: 'stop', reason: 'permanent_failure', scope: 'operation' } : undefined,
};

/** Plays calls one after another against a server that answers by the index of the attempt. */
class Caller {
  readonly #chain: PolicyChain;
  readonly #server: (index: number) => ReplyClass;
  index = -1;

  constructor(maxAttempts: number, throttle: GrpcThrottle, server: (index: number) => ReplyClass) {
    this.#chain = new PolicyChain([retryableOnly, attemptCap(maxAttempts), immediate(), throttle]);
    this.#server = server;
  }

  call(): ReplyClass {
    const operation = operationOf(1, 0);
    for (;;) {
      operation.attempts++;
      const replyClass = this.#server(++this.index);
      const result = resultOf(replyClass, { operation, attempt: operation.attempts });
      this.#chain.settle(result);
      if (replyClass === 'ok' || this.#chain.decide(result).kind === 'stop') return replyClass;
    }
  }
}

test("grpc-go's throttling sequence: outcome, attempts and tokens of each call", () => {
  const { maxAttempts, server_ok_on_attempt_index, ...settings } = THROTTLING.given;
  const throttle = new GrpcThrottle(settings);
  const server = (index: number) => (server_ok_on_attempt_index.includes(index) ? 'ok' : 'error503');
  const caller = new Caller(maxAttempts, throttle, server);
  for (const { code, last_attempt_index, tokens_after } of THROTTLING.calls) {
    assert.equal(caller.call(), code === 'OK' ? 'ok' : 'error503');
    assert.equal(caller.index, last_attempt_index);
    assert.equal(throttle.tokens, tokens_after, `after attempt ${last_attempt_index}`);
  }
});

test("grpc-go's counts of attempts, with tokens enough to stay out of the way", () => {
  const { maxAttempts, server_ok_on_attempt_index, server_nonretryable_on_attempt_index } = COUNTS.given;
  const throttle = new GrpcThrottle({ maxTokens: 1000, tokenRatio: 0.1 });
  const classes: Readonly<Record<string, ReplyClass>> = { OK: 'ok', INTERNAL: 'other', ALREADY_EXISTS: 'error500' };
  const caller = new Caller(maxAttempts, throttle, (index) => {
    if (server_ok_on_attempt_index.includes(index)) return 'ok';
    return server_nonretryable_on_attempt_index.includes(index) ? 'other' : 'error500';
  });
  for (const [code, lastAttemptIndex] of COUNTS.calls) {
    assert.equal(caller.call(), classes[code]);
    assert.equal(caller.index, lastAttemptIndex);
  }
  // What a retry can not help counts for nothing; the first success found the bucket full, the others earned a tenth.
  const failures = caller.index + 1 - server_ok_on_attempt_index.length - server_nonretryable_on_attempt_index.length;
  assert.equal(failures, 10);
  assert.equal(throttle.tokens, 990.2);
});

test('A6: half of the tokens blocks, one more does not, and a success earns the ratio', () => {
  const { maxTokens, tokenRatio, failure_cost } = A6.throttle;
  const throttle = new GrpcThrottle({ maxTokens, tokenRatio });
  for (let failures = 1; failures <= 5; failures++) {
    throttle.settle(resultOf('error503'));
    assert.equal(throttle.tokens, maxTokens - failures * failure_cost);
    assert.deepEqual(throttle.decide(resultOf('error503'), PROPOSAL), failures < 5 ? PROPOSAL : BLOCKED);
  }
  throttle.settle(resultOf('ok'));
  assert.equal(throttle.tokens, 5.1);
  assert.equal(throttle.decide(resultOf('error503'), PROPOSAL), PROPOSAL);
  assert.deepEqual(throttle.budgetLeft(), { grpc_throttle: 5.1 });
});

/** What A6 says besides is not this policy's. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  retry_policy:
    'waits and their jitter are a backoff (clients/strategies/field.test.ts), the deadline is a policy of its own',
  hedging: 'an operation here has one attempt under way at a time',
  pushback_ms: 'a reply of ours carries no grpc-retry-pushback-ms',
  retry_histogram_buckets: 'a report, not a decision',
};

test('nothing of A6 is left out unnamed', () => {
  assert.deepEqual(Object.keys(A6).sort(), [...Object.keys(ELSEWHERE), 'throttle', 'validation'].sort());
});

function gainOf(tokenRatio: number): number {
  const throttle = new GrpcThrottle({ maxTokens: 1000, tokenRatio });
  for (let failures = 0; failures < 20; failures++) throttle.settle(resultOf('error500'));
  throttle.settle(resultOf('ok'));
  return Math.round((throttle.tokens - 980) * 1000);
}

test('the ratio is cut to three decimals, and three decimals are kept as written', () => {
  const [written, read] = A6.validation.tokenRatio.match(/0\.\d+/g) ?? [];
  assert.equal(gainOf(Number(written)), Number(read) * 1000);
  assert.equal(gainOf(0.9999), 999);
  for (let thousandths = 1; thousandths <= 5000; thousandths++) assert.equal(gainOf(thousandths / 1000), thousandths);
});

test('whatever a retry may help costs a token: a request that never arrived too, one that was wrong not', () => {
  for (const [replyClass, left] of [
    ['limit429', 9],
    ['error503', 9],
    ['no_reply', 9],
    ['never_arrived', 9],
    ['other', 10],
  ] as const) {
    const throttle = new GrpcThrottle({ maxTokens: 10, tokenRatio: 0.1 });
    throttle.settle(resultOf(replyClass));
    assert.equal(throttle.tokens, left, replyClass);
  }
});

test('without a retry to block it has no opinion', () => {
  const throttle = new GrpcThrottle({ maxTokens: 1, tokenRatio: 0.1 });
  throttle.settle(resultOf('no_reply'));
  assert.equal(throttle.decide(resultOf('no_reply'), undefined), undefined);
});

test('a 502 costs a token as a 503 does, a 404 does not', () => {
  for (const [status, tokens] of [
    [404, 10],
    [502, 9],
    [504, 9],
  ] as const) {
    const throttle = new GrpcThrottle({ maxTokens: 10, tokenRatio: 0.1 });
    throttle.settle(resultOf('other', { reply: { ...replyOf('other'), status } }));
    assert.equal(throttle.tokens, tokens, `${status}`);
  }
});

test('any outcomes: 0 to the maximum, in whole thousandths, blocked exactly at half or less', () => {
  const settings = fc.record({
    maxTokens: fc.integer({ min: 1, max: 1000 }),
    tokenRatio: fc.integer({ min: 1, max: 3000 }).map((thousandths) => thousandths / 1000),
  });
  const outcomes = fc.array(fc.constantFrom(...REPLY_CLASSES), { maxLength: 400, size: 'max' });
  fc.assert(
    fc.property(settings, outcomes, (chosen, classes) => {
      const throttle = new GrpcThrottle(chosen);
      let count = chosen.maxTokens * 1000;
      for (const replyClass of classes) {
        throttle.settle(resultOf(replyClass));
        if (replyClass === 'ok')
          count = Math.min(count + Math.round(chosen.tokenRatio * 1000), chosen.maxTokens * 1000);
        else if (replyClass !== 'other') count = Math.max(count - 1000, 0);
        assert.equal(throttle.tokens, count / 1000);
        const decision = throttle.decide(resultOf(replyClass), PROPOSAL);
        assert.equal(decision?.kind === 'stop', throttle.tokens <= chosen.maxTokens / 2);
      }
    }),
    { numRuns: 200 },
  );
});
