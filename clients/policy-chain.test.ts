// Holds the order of asking: first stop, last proposal, silence, who gets an admission taken back, and the shortest limit.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { Decision, Policy, Retry, Stop } from './policy.ts';
import { PolicyChain } from './policy-chain.ts';
import { operationOf, resultOf } from './testing.ts';

const STOP: Stop = { kind: 'stop', reason: 'quota_exhausted', scope: 'task' };
const SILENCE: Stop = { kind: 'stop', reason: 'attempts_exhausted', scope: 'operation' };
const retry = (waitMs: number): Retry => ({ kind: 'retry', waitMs, because: `waits ${waitMs}` });

/** A policy for each answer, and who was asked with what proposal. */
function deciding(answers: readonly (Decision | undefined)[]) {
  const asked: (Retry | undefined)[] = [];
  const policies = answers.map((answer, index): Policy => {
    const decide = (_: unknown, proposal: Retry | undefined) => {
      asked.push(proposal);
      return answer;
    };
    return { name: `policy ${index}`, decide };
  });
  return { chain: new PolicyChain(policies), asked };
}

test('the last proposal counts, and each sees what those before it agreed on', () => {
  const { chain, asked } = deciding([undefined, retry(1), undefined, retry(2), undefined]);
  assert.deepEqual(chain.decide(resultOf('error500')), retry(2));
  assert.deepEqual(asked, [undefined, undefined, retry(1), retry(1), retry(2)]);
});

test('the first stop wins and ends the asking', () => {
  const { chain, asked } = deciding([retry(1), STOP, retry(2), SILENCE]);
  assert.equal(chain.decide(resultOf('error500')), STOP);
  assert.equal(asked.length, 2);
});

test('silence means stop: of all policies, of policies that do not decide, of none', () => {
  const { chain } = deciding([undefined, undefined]);
  for (const each of [chain, new PolicyChain([{ name: 'no-op' }]), new PolicyChain([])]) {
    assert.deepEqual(each.decide(resultOf('error500')), SILENCE);
  }
});

test('any chain decides as a fold over the answers does', () => {
  const answer = fc.oneof(
    fc.constant(undefined),
    fc.nat({ max: 9 }).map(retry),
    fc.constantFrom<Stop>(STOP, { ...STOP, reason: 'cancelled' }),
  );
  fc.assert(
    fc.property(fc.array(answer, { maxLength: 8, size: 'max' }), (answers) => {
      const stop = answers.find((each) => each?.kind === 'stop');
      const last = answers.findLast((each) => each?.kind === 'retry');
      assert.deepEqual(deciding(answers).chain.decide(resultOf('ok')), stop ?? last ?? SILENCE);
    }),
    { numRuns: 300 },
  );
});

/** Policies that admit or refuse, and a list of what they were told. */
function admitting(answers: readonly (Decision | undefined)[]) {
  const told: string[] = [];
  const policies = answers.map((answer, index): Policy => {
    const admit = () => {
      told.push(`admit ${index}`);
      return answer;
    };
    return { name: `policy ${index}`, admit, withdraw: () => told.push(`withdraw ${index}`) };
  });
  return { policies, told };
}

test('an attempt goes when all admit it', () => {
  const { policies, told } = admitting([undefined, undefined]);
  assert.equal(new PolicyChain(policies).admit(operationOf(), 0), undefined);
  assert.deepEqual(told, ['admit 0', 'admit 1']);
});

test('a refusal is withdrawn from those that had admitted before, last first, and nobody else is asked', () => {
  for (const refusal of [STOP, retry(5)]) {
    const { policies, told } = admitting([undefined, undefined, refusal, undefined]);
    assert.equal(new PolicyChain(policies).admit(operationOf(), 0), refusal);
    assert.deepEqual(told, ['admit 0', 'admit 1', 'admit 2', 'withdraw 1', 'withdraw 0']);
  }
});

test('policies between that neither admit nor withdraw are passed over', () => {
  const { policies, told } = admitting([undefined, STOP]);
  const [first, second] = policies;
  assert.ok(first !== undefined && second !== undefined);
  const chain = new PolicyChain([{ name: 'no-op' }, first, { name: 'lets go', admit: () => undefined }, second]);
  assert.equal(chain.admit(operationOf(), 0), STOP);
  assert.deepEqual(told, ['admit 0', 'admit 1', 'withdraw 0']);
});

test('operation and time are handed on', () => {
  const operation = operationOf(7);
  const seen: unknown[] = [];
  const admit = (...given: unknown[]) => {
    seen.push(...given);
    return undefined;
  };
  const withdraw = (...given: unknown[]) => {
    seen.push(...given);
  };
  new PolicyChain([
    { name: 'asked', admit, withdraw },
    { name: 'refuses', admit: () => STOP },
  ]).admit(operation, 42);
  assert.deepEqual(seen, [operation, 42, operation]);
});

test('every settling policy is told of every result, in order', () => {
  const told: string[] = [];
  const settling = (name: string): Policy => ({ name, settle: ({ replyClass }) => told.push(`${name} ${replyClass}`) });
  const chain = new PolicyChain([settling('a'), { name: 'no-op' }, settling('b')]);
  assert.equal(chain.settles, true);
  chain.settle(resultOf('ok'));
  chain.settle(resultOf('no_reply'));
  assert.deepEqual(told, ['a ok', 'b ok', 'a no_reply', 'b no_reply']);
  assert.deepEqual(
    [new PolicyChain([settling('one')]).settles, new PolicyChain([{ name: 'no-op' }]).settles],
    [true, false],
  );
});

const limiting = (limitMs: number | undefined): Policy => ({ name: 'limiting', attemptLimitMs: () => limitMs });

test('the shortest limit of an attempt counts, never below nothing; undefined sets none', () => {
  for (const [limitsMs, expected] of [
    [[], undefined],
    [[undefined], undefined],
    [[undefined, 300, undefined, 200], 200],
    [[200, 300], 200],
    [[0, 5], 0],
    [[-7, 5], 0],
  ] as const) {
    const chain = new PolicyChain([{ name: 'no-op' }, ...limitsMs.map(limiting)]);
    assert.equal(chain.limits, limitsMs.length > 0);
    assert.equal(chain.attemptLimitMs(operationOf(), 0), expected, String(limitsMs));
  }
});

test('the end of an operation is told to all who ask for it, and what is left of budgets is put together', () => {
  const ended: string[] = [];
  const operation = operationOf(7);
  const chain = new PolicyChain([
    { name: 'a', ended: ({ item }) => ended.push(`a ${item}`), budgetLeft: () => ({ calls: 3 }) },
    { name: 'no-op' },
    {
      name: 'b',
      ended: ({ item }) => ended.push(`b ${item}`),
      budgetLeft: (_, nowMs) => ({ deadline_ms: 100 - nowMs }),
    },
  ]);
  chain.ended(operation);
  assert.deepEqual(ended, ['a 7', 'b 7']);
  assert.deepEqual(chain.budgetLeft(operation, 40), { calls: 3, deadline_ms: 60 });
  assert.deepEqual(new PolicyChain([]).budgetLeft(operation, 40), {});
});

test('time before an attempt is asked about with the preparation in it, whoever asks for it; a stop takes its place', () => {
  const asked: number[] = [];
  const bounding: Policy = {
    name: 'bounding',
    mayWait: (_operation, nowMs, waitMs) => {
      asked.push(nowMs + waitMs);
      return nowMs + waitMs > 100 ? STOP : undefined;
    },
    lastStartMs: ({ item }) => (item === 1 ? 100 : undefined),
  };
  const refusing: Policy = { name: 'refusing', admit: () => retry(30), decide: () => retry(40) };
  const chain = new PolicyChain([refusing, { name: 'no-op' }, bounding], 20);
  assert.deepEqual([chain.admit(operationOf(), 50), chain.admit(operationOf(), 51)], [retry(30), STOP]);
  const decide = (receivedMs: number) => chain.decide(resultOf('error500', { receivedMs }));
  assert.deepEqual([decide(40), decide(41)], [retry(40), STOP]);
  assert.deepEqual([chain.mayPrepare(operationOf(), 80), chain.mayPrepare(operationOf(), 81)], [undefined, STOP]);
  assert.deepEqual(asked, [100, 101, 100, 101, 100, 101]);
  assert.deepEqual([chain.patienceMs(operationOf(1), 70), chain.patienceMs(operationOf(1), 90)], [10, -10]);
  assert.equal(chain.patienceMs(operationOf(2), 70), undefined);
});
