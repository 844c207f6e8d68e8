// Holds the states of the breaker: when it opens, whom it lets through half-open, what closes it, and what changes nothing.

import assert from 'node:assert/strict';
import test from 'node:test';
import type { Operation, ReplyClass } from '../policy.ts';
import { operationOf, resultOf, waitOf } from '../testing.ts';
import type { BreakerState } from './breaker-gate.ts';
import { CircuitBreaker, type CircuitBreakerSettings } from './circuit-breaker.ts';

const SETTINGS: CircuitBreakerSettings = {
  failureRate: 0.5,
  windowMs: 10_000,
  minCalls: 10,
  cooldownMs: 5000,
  probes: 3,
  limitsAreFailures: false,
  whenOpen: 'wait',
};
const HOUR_MS = 3_600_000;

const breakerOf = (changes: Partial<CircuitBreakerSettings> = {}) => new CircuitBreaker({ ...SETTINGS, ...changes });

function settle(
  breaker: CircuitBreaker,
  replyClass: ReplyClass,
  receivedMs: number,
  operation = operationOf(),
  sentMs = receivedMs,
): void {
  breaker.settle(resultOf(replyClass, { operation, sentMs, receivedMs }));
}

/** Admits and settles `times` attempts at one time. */
function attempts(breaker: CircuitBreaker, replyClass: ReplyClass, times: number, nowMs = 0): void {
  for (let time = 0; time < times; time++) {
    const operation = operationOf();
    assert.equal(breaker.admit(operation, nowMs), undefined);
    settle(breaker, replyClass, nowMs, operation);
  }
}

/** A breaker that opened at 0. */
function opened(changes: Partial<CircuitBreakerSettings> = {}): CircuitBreaker {
  const breaker = breakerOf(changes);
  attempts(breaker, 'error500', 10);
  assert.equal(breaker.state, 'open');
  return breaker;
}

/** Asks `times` times, each for an operation of its own; returns those that were let through. */
function ask(breaker: CircuitBreaker, times: number, nowMs: number): Operation[] {
  const operations = Array.from({ length: times }, (_, index) => operationOf(index + 1));
  return operations.filter((operation) => breaker.admit(operation, nowMs) === undefined);
}

test('closed: the rate opens it, once there are enough calls to speak of a rate', () => {
  const table: [expected: BreakerState, Partial<CircuitBreakerSettings>, ...[ReplyClass, number][]][] = [
    ['closed', {}, ['error500', 9]],
    ['open', {}, ['error500', 10]],
    ['open', {}, ['error503', 10]],
    ['open', {}, ['no_reply', 10]],
    ['open', {}, ['never_arrived', 10]],
    ['open', {}, ['error500', 5], ['ok', 5]],
    ['open', {}, ['ok', 5], ['error500', 5]],
    ['closed', {}, ['ok', 6], ['error500', 5]],
    ['open', {}, ['ok', 6], ['error500', 6]],
    ['closed', {}, ['ok', 100], ['error503', 99]],
    ['closed', { failureRate: 1 }, ['ok', 1], ['error500', 99]],
    ['open', { failureRate: 1, minCalls: 1 }, ['error500', 1]],
    ['closed', {}, ['limit429', 100]],
    ['closed', {}, ['quota429', 100]],
    ['closed', {}, ['limit429', 100], ['error500', 9]],
    ['open', { limitsAreFailures: true }, ['limit429', 10]],
    ['open', { limitsAreFailures: true }, ['quota429', 10]],
    ['closed', { limitsAreFailures: true }, ['other', 100]],
    ['closed', {}, ['other', 100], ['error500', 9]],
  ];
  for (const [expected, changes, ...events] of table) {
    const breaker = breakerOf(changes);
    for (const [replyClass, times] of events) attempts(breaker, replyClass, times);
    assert.equal(breaker.state, expected, JSON.stringify([changes, events]));
    assert.equal(breaker.timesOpened, expected === 'open' ? 1 : 0);
  }
});

test('old failures leave the window when their time is up, not a step at a time', () => {
  for (const [lastMs, expected] of [
    [9999, 'open'],
    [10_000, 'closed'],
    [HOUR_MS, 'closed'],
  ] as const) {
    const breaker = breakerOf();
    attempts(breaker, 'error500', 9);
    attempts(breaker, 'error500', 1, lastMs);
    assert.equal(breaker.state, expected, `tenth failure after ${lastMs} ms`);
  }
});

test('open: refused until the cooldown is over, by a wait of what is left or by a stop', () => {
  const breaker = opened();
  for (const nowMs of [0, 1, 2500, 4999]) {
    const refusal = breaker.admit(operationOf(), nowMs);
    assert.deepEqual(refusal, { kind: 'retry', waitMs: 5000 - nowMs, because: 'circuit_open' });
  }
  assert.equal(breaker.state, 'open');
  assert.equal(breaker.admit(operationOf(), 5000), undefined);
  assert.equal(breaker.state, 'half_open');

  const failing = opened({ whenOpen: 'fail' });
  const stop = { kind: 'stop', reason: 'circuit_open', scope: 'operation' };
  assert.deepEqual(failing.admit(operationOf(), 4999), stop);
  assert.equal(ask(failing, 3, 5000).length, 3);
  assert.deepEqual(failing.admit(operationOf(), 5000), stop);
});

test('half-open: exactly as many probes as set, however many ask, and the others wait', () => {
  for (const probes of [1, 3, 7]) {
    const breaker = opened({ probes });
    assert.equal(ask(breaker, 1000, 5000).length, probes);
    assert.equal(ask(breaker, 1000, HOUR_MS).length, 0);
    assert.ok(waitOf(breaker.admit(operationOf(), 5000)) > 0);
  }
});

test('half-open: a withdrawn probe frees its place once, a withdrawal of another frees none', () => {
  const breaker = opened();
  const [probe] = ask(breaker, 3, 5000);
  breaker.withdraw(operationOf());
  assert.equal(ask(breaker, 1, 5000).length, 0);
  breaker.withdraw(probe ?? operationOf());
  breaker.withdraw(probe ?? operationOf());
  assert.equal(ask(breaker, 1000, 5000).length, 1);
});

test('half-open: a neutral result frees the place and decides nothing', () => {
  for (const neutral of ['limit429', 'quota429', 'other'] as const) {
    const breaker = opened();
    const probes = ask(breaker, 3, 5000);
    for (const probe of probes) settle(breaker, neutral, 5001, probe);
    assert.equal(breaker.state, 'half_open');
    assert.equal(ask(breaker, 1000, 5001).length, 3);
  }
});

test('half-open: a failure opens it for a whole cooldown, and the next round has all its probes', () => {
  const breaker = opened();
  const [first, second, third] = ask(breaker, 3, 5000);
  settle(breaker, 'ok', 5100, first);
  settle(breaker, 'error503', 5200, second);
  assert.equal(breaker.state, 'open');
  assert.equal(breaker.timesOpened, 2);
  assert.equal(waitOf(breaker.admit(operationOf(), 5200)), 5000);
  const [fourth, fifth, ...more] = ask(breaker, 1000, 10_200);
  assert.equal(more.length, 1);
  settle(breaker, 'error500', 10_300, third);
  assert.equal(breaker.state, 'half_open', 'a probe of the round before says nothing about this one');
  assert.equal(ask(breaker, 1000, 10_300).length, 0);
  for (const probe of [fourth, fifth]) settle(breaker, 'ok', 10_400, probe);
  assert.equal(breaker.state, 'half_open', 'nor does the success of the round before');
});

test('half-open: when all probes succeed it closes, with an empty window', () => {
  const breaker = opened();
  const probes = ask(breaker, 3, 5000);
  for (const [index, probe] of probes.entries()) {
    assert.equal(breaker.state, 'half_open', `after ${index} successes`);
    settle(breaker, 'ok', 5000 + index, probe);
  }
  assert.equal(breaker.state, 'closed');
  attempts(breaker, 'error500', 9, 5010);
  assert.equal(breaker.state, 'closed');
  attempts(breaker, 'error500', 1, 5010);
  assert.equal(breaker.state, 'open');
});

test('half-open: as many successes as probes are needed, whatever neutral results lie between', () => {
  const breaker = opened();
  for (const [step, replyClass] of (['ok', 'limit429', 'ok', 'other', 'ok'] as const).entries()) {
    attempts(breaker, replyClass, 1, 5000 + step);
    assert.equal(breaker.state, step < 4 ? 'half_open' : 'closed', `after step ${step}`);
  }
});

test('results of attempts sent before it opened change nothing while it is open or half-open', () => {
  for (const stale of ['ok', 'error500', 'limit429', 'no_reply', 'never_arrived'] as const) {
    const breaker = breakerOf();
    const early = ask(breaker, 20, 0);
    attempts(breaker, 'error500', 10);
    for (const operation of early.slice(0, 10)) settle(breaker, stale, 4000, operation);
    assert.equal(breaker.state, 'open');
    assert.equal(waitOf(breaker.admit(operationOf(), 4000)), 1000);
    assert.equal(ask(breaker, 1000, 5000).length, 3);
    for (const operation of early.slice(10)) settle(breaker, stale, 5001, operation);
    assert.equal(breaker.state, 'half_open', stale);
    assert.equal(ask(breaker, 1000, 5001).length, 0, stale);
    assert.equal(breaker.timesOpened, 1);
  }
});

test('exactly at the rate it opens, for rates that are no binary fraction', () => {
  for (const [failureRate, failures, calls] of [
    [0.55, 55, 100],
    [0.07, 7, 100],
    [0.28, 7, 25],
    [0.14, 7, 50],
  ] as const) {
    const breaker = breakerOf({ failureRate, minCalls: calls });
    attempts(breaker, 'ok', calls - failures);
    attempts(breaker, 'error500', failures - 1);
    assert.equal(breaker.state, 'closed');
    attempts(breaker, 'error500', 1);
    assert.equal(breaker.state, 'open', `${failures} of ${calls}`);
  }
});

test('results of attempts sent before it closed again do not count against the new window', () => {
  const breaker = breakerOf({ probes: 1 });
  const early = ask(breaker, 20, 0);
  for (const operation of early.slice(0, 10)) settle(breaker, 'error500', 100, operation, 0);
  attempts(breaker, 'ok', 1, 5200);
  assert.equal(breaker.state, 'closed');
  for (const operation of early.slice(10)) settle(breaker, 'error500', 5300, operation, 0);
  assert.equal(breaker.state, 'closed');
  assert.equal(breaker.timesOpened, 1);
});
