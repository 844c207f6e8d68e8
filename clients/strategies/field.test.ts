// Holds strategies of the field to the numbers of their sources: gRPC's proposal A6, and which failures botocore takes for
// transient.

import assert from 'node:assert/strict';
import test from 'node:test';
import { classify } from '../classify.ts';
import { jitteredMs } from '../policies/jittered-backoff.ts';
import { readTestdata } from '../retry-after/testing.ts';
import { resultOf } from '../testing.ts';
import { buildPolicies, type PolicySettings } from './build-policies.ts';
import { CATALOGUE } from './catalogue.ts';

function policyOf<Tag extends PolicySettings['policy']>(strategy: string, tag: Tag) {
  const found = CATALOGUE[strategy]?.settings.policies.find(({ policy }) => policy === tag);
  assert.ok(found, `${strategy} has a ${tag}`);
  return found as Extract<PolicySettings, { policy: Tag }>;
}

interface A6 {
  readonly retry_policy: {
    readonly maxAttempts: number;
    readonly initialBackoff_s: number;
    readonly maxBackoff_s: number;
    readonly backoffMultiplier: number;
    readonly nominal_delays_s: readonly number[];
    readonly jitter: readonly [low: number, high: number];
  };
  readonly throttle: { readonly maxTokens: number; readonly tokenRatio: number };
}

test('grpc-a6 has the attempts, the waits with their jitter, and the tokens of proposal A6', () => {
  const { retry_policy, throttle } = readTestdata('grpc-retry/a6_examples.json') as A6;
  assert.equal(policyOf('grpc-a6', 'attempt_cap').attempts, retry_policy.maxAttempts);
  const { maxTokens, tokenRatio } = policyOf('grpc-a6', 'grpc_throttle');
  assert.deepEqual([maxTokens, tokenRatio], [throttle.maxTokens, throttle.tokenRatio]);
  const backoff = policyOf('grpc-a6', 'jittered_backoff');
  assert.equal(backoff.baseMs, retry_policy.initialBackoff_s * 1000);
  assert.equal(backoff.capMs, retry_policy.maxBackoff_s * 1000);
  assert.equal(backoff.factor, retry_policy.backoffMultiplier);
  assert.equal(retry_policy.nominal_delays_s.length, 3);
  for (const [index, delayS] of retry_policy.nominal_delays_s.entries()) {
    const ends = [0, 1 - 2 ** -32].map((uniform) => jitteredMs(backoff, index + 1, 0, uniform));
    assert.deepEqual(
      ends,
      retry_policy.jitter.map((part) => Math.round(delayS * 1000 * part)),
    );
  }
});

type Row = readonly [status: number | null, code: string | null, yes: boolean];

/** Names by which AWS marks a 400 as worth another try; no reply of ours carries one. */
const BY_NAME = ['RequestTimeout', 'RequestTimeoutException', 'PriorRequestNotComplete'];

test('what botocore takes for transient by its status, aws-legacy tries again, and nothing else', () => {
  const { transient } = readTestdata('aws-retry/botocore_error_classification.json') as { transient: readonly Row[] };
  const [policy] = buildPolicies([policyOf('aws-legacy', 'classification')], 1);
  const proposal = { kind: 'retry', waitMs: 1, because: 'backoff' } as const;
  const byStatus = transient.filter(([, code]) => code === null || !BY_NAME.includes(code));
  assert.deepEqual([transient.length, byStatus.length], [14, 11]);
  for (const [status, code, expected] of byStatus) {
    // An error of the connection has no status.
    const reply = status === null ? undefined : { status, headers: {}, body: '' };
    const replyClass = reply === undefined ? 'no_reply' : classify(reply);
    if (replyClass === 'ok') assert.equal(expected, false, 'a success is asked about by nobody');
    else {
      const decision = policy?.decide?.(resultOf(replyClass, { reply }), proposal);
      assert.equal(decision?.kind === 'retry', expected, `${status} ${code}`);
    }
  }
});

test('every error that botocore takes for throttled is known by its name; ours are known by their status, 429', () => {
  const { throttled } = readTestdata('aws-retry/botocore_error_classification.json') as { throttled: readonly Row[] };
  assert.equal(throttled.length, 19);
  for (const [status, code, expected] of throttled) {
    if (expected) assert.ok(code !== null, `${status} alone makes no throttle`);
    assert.notEqual(status, 429);
  }
});
