// Holds that what is kept per host is as many policies as hosts, each asked about its own operations and no others.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { Operation, Policy, ReplyClass, Retry } from '../policy.ts';
import { buildPolicies, type PolicySettings } from '../strategies/build-policies.ts';
import { operationOf, resultOf } from '../testing.ts';
import { perHost } from './per-host.ts';

fc.configureGlobal({ seed: 20261016 });

const PROPOSAL: Retry = { kind: 'retry', waitMs: 100, because: 'backoff' };
const BREAKER = { cooldownMs: 1000, probes: 1, limitsAreFailures: false, whenOpen: 'fail' } as const;

/** Every policy that can be kept per host, small enough to be used up, and what uses it up. */
const KINDS: readonly (readonly [PolicySettings, ReplyClass])[] = [
  [{ policy: 'aws_retry_quota', capacity: 50, transientCost: 10, throttlingCost: 5, noRetryRefund: 1 }, 'error503'],
  [{ policy: 'grpc_throttle', maxTokens: 10, tokenRatio: 0.1 }, 'error503'],
  [{ policy: 'finagle_budget', percentCanRetry: 0.2, minRetriesPerS: 1, ttlMs: 5000 }, 'error503'],
  [{ policy: 'envoy_budget', budgetPercent: 0, minRetryConcurrency: 2 }, 'error503'],
  [{ policy: 'circuit_breaker', failureRate: 0.5, windowMs: 10_000, minCalls: 5, ...BREAKER }, 'error503'],
  [{ policy: 'consecutive_breaker', threshold: 5, ...BREAKER }, 'no_reply'],
  [{ policy: 'adaptive_rate' }, 'limit429'],
];

function built(settings: PolicySettings, changes: { readonly perHost?: boolean } = {}): Policy {
  const [policy] = buildPolicies([{ ...settings, ...changes }], 1);
  assert.ok(policy);
  return policy;
}

const at = (host: string, item: number): Operation => ({ ...operationOf(item, 0), host });

/** One failed attempt of a new operation; whether it went and may be tried again. */
function fails(policy: Policy, host: string, item: number, replyClass: ReplyClass): boolean {
  const operation = at(host, item);
  if (policy.admit?.(operation, 0) !== undefined) return false;
  operation.attempts++;
  const result = resultOf(replyClass, { operation });
  policy.settle?.(result);
  return policy.decide === undefined || policy.decide(result, PROPOSAL) === PROPOSAL;
}

for (const [settings, replyClass] of KINDS) {
  const name = settings.policy;

  test(`${name}: a host that is down uses up its own and leaves the other's; client-wide there is only one`, () => {
    for (const [policy, otherMay] of [
      [built(settings), false],
      [built(settings, { perHost: false }), false],
      [built(settings, { perHost: true }), true],
    ] as const) {
      for (let item = 1; item <= 20; item++) fails(policy, 'down.example', item, replyClass);
      assert.equal(fails(policy, 'down.example', 21, replyClass), false);
      assert.equal(fails(policy, 'well.example', 22, replyClass), otherMay);
    }
  });

  test(`${name}: has the name and the methods of one policy, and no more`, () => {
    const [one, many] = [built(settings), built(settings, { perHost: true })];
    assert.equal(many.name, one.name);
    for (const method of METHODS) assert.equal(typeof many[method], typeof one[method], method);
  });

  test(`${name}: is as many single policies as there are hosts, whatever happens`, () => {
    const classes = ['ok', 'error503', 'limit429', 'no_reply', 'other'] as const;
    const step = fc.record({
      host: fc.constantFrom('a.example', 'b.example', 'c.example'),
      what: fc.constantFrom('begin', 'again', 'withdraw', 'end'),
      replyClass: fc.constantFrom<ReplyClass>(...classes),
      passedMs: fc.integer({ min: 0, max: 400 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 120 }), (steps) => {
        const many = play(built(settings, { perHost: true }), steps);
        for (const host of ['a.example', 'b.example', 'c.example']) {
          const own = play(built(settings), steps, host);
          assert.deepEqual(
            many.filter((said) => said.host === host),
            own,
          );
        }
      }),
    );
  });
}

const METHODS = [
  'admit',
  'mayWait',
  'withdraw',
  'settle',
  'decide',
  'attemptLimitMs',
  'ended',
  'budgetLeft',
] as const satisfies readonly (keyof Policy)[];

interface Step {
  readonly host: string;
  readonly what: 'begin' | 'again' | 'withdraw' | 'end';
  readonly replyClass: ReplyClass;
  readonly passedMs: number;
}

/** What the policy says at each step, of one host's steps only when it is named; the time is that of all steps. */
function play(policy: Policy, steps: readonly Step[], only?: string): { readonly host: string; said: unknown }[] {
  const latest = new Map<string, Operation>();
  let nowMs = 0;
  return steps.flatMap(({ host, what, replyClass, passedMs }, item) => {
    nowMs += passedMs;
    if (only !== undefined && host !== only) return [];
    const operation = what === 'begin' ? at(host, item) : (latest.get(host) ?? at(host, item));
    latest.set(host, operation);
    const said = { admitted: policy.admit?.(operation, nowMs), decided: told() };
    return [{ host, said: { ...said, left: policy.budgetLeft?.(operation, nowMs) } }];

    function told(): unknown {
      if (what === 'withdraw') return policy.withdraw?.(operation);
      operation.attempts++;
      const result = resultOf(replyClass, { operation, sentMs: nowMs, receivedMs: nowMs });
      policy.settle?.(result);
      if (what === 'end') return policy.ended?.(operation);
      return replyClass === 'ok' ? undefined : policy.decide?.(result, PROPOSAL);
    }
  });
}

/** A policy that has every method and writes down which was called, with what; `made` counts such policies. */
function recorder() {
  const calls: unknown[][] = [];
  let made = 0;
  const make = (): Required<Policy> => {
    const own = ++made;
    const heard =
      <T>(method: string, answer: T) =>
      (...given: unknown[]): T => {
        calls.push([own, method, ...given]);
        return answer;
      };
    return {
      name: 'recorder',
      admit: heard('admit', PROPOSAL),
      mayWait: heard('mayWait', { kind: 'stop', reason: 'deadline', scope: 'operation' }),
      lastStartMs: heard('lastStartMs', 99),
      withdraw: heard('withdraw', undefined),
      settle: heard('settle', undefined),
      decide: heard('decide', PROPOSAL),
      attemptLimitMs: heard('attemptLimitMs', 1234),
      ended: heard('ended', undefined),
      budgetLeft: heard('budgetLeft', { left: 7 }),
    };
  };
  return { make, calls, made: () => made };
}

test('every question reaches the policy of its own host with what was given, and its answer comes back', () => {
  const { make, calls } = recorder();
  const policy = perHost(make) as Required<Policy>;
  const [a, b] = [at('a.example', 1), at('b.example', 2)];
  for (const [own, operation] of [
    [1, a],
    [2, b],
    [1, a],
  ] as const) {
    const result = resultOf('error503', { operation });
    for (const [method, ask, given, answer] of [
      ['admit', () => policy.admit(operation, 5), [operation, 5], PROPOSAL],
      [
        'mayWait',
        () => policy.mayWait(operation, 5, 6),
        [operation, 5, 6],
        { kind: 'stop', reason: 'deadline', scope: 'operation' },
      ],
      ['lastStartMs', () => policy.lastStartMs(operation), [operation], 99],
      ['withdraw', () => policy.withdraw(operation), [operation], undefined],
      ['settle', () => policy.settle(result), [result], undefined],
      ['decide', () => policy.decide(result, PROPOSAL), [result, PROPOSAL], PROPOSAL],
      ['attemptLimitMs', () => policy.attemptLimitMs(operation, 5), [operation, 5], 1234],
      ['ended', () => policy.ended(operation), [operation], undefined],
      ['budgetLeft', () => policy.budgetLeft(operation, 5), [operation, 5], { left: 7 }],
    ] as const) {
      assert.deepEqual(ask(), answer, method);
      assert.deepEqual(calls.splice(0), [[own, method, ...given]]);
    }
  }
});

test('a policy is made when its host is first heard of, the first one of them at once, and 64 at most', () => {
  const { make, made } = recorder();
  const policy = perHost(make);
  assert.equal(made(), 1);
  for (let host = 1; host <= 64; host++) {
    for (let item = 1; item <= 3; item++) policy.ended?.(at(`${host}.example`, item));
    assert.equal(made(), host);
  }
  assert.throws(() => policy.ended?.(at('65.example', 1)), {
    name: 'RangeError',
    message: 'recorder for more than 64 hosts: 65.example',
  });
  assert.equal(made(), 64);
});
