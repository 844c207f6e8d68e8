// Holds for any order of events: never more probes under way than set, none lost, and a way out of every state.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { type Operation, REPLY_CLASSES } from '../policy.ts';
import { operationOf, resultOf } from '../testing.ts';
import { CircuitBreaker } from './circuit-breaker.ts';

const COOLDOWN_MS = 1000;

const event = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('ask' as const), times: fc.integer({ min: 1, max: 8 }) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      which: fc.nat(),
      replyClass: fc.constantFrom(...REPLY_CLASSES, 'ok' as const, 'ok' as const, 'error500' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('withdraw' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat({ max: 700 }) }) },
);
const plan = fc.record({
  probes: fc.integer({ min: 1, max: 4 }),
  limitsAreFailures: fc.boolean(),
  events: fc.array(event, { maxLength: 120, size: 'max' }),
});

/** What is known from outside: who is under way, and which of them are probes of the present half-open time. */
class Watcher {
  readonly breaker: CircuitBreaker;
  readonly #probeCount: number;
  underWay: Operation[] = [];
  #probes = new Set<Operation>();
  nowMs = 0;

  constructor(probes: number, limitsAreFailures: boolean) {
    this.#probeCount = probes;
    this.breaker = new CircuitBreaker({
      failureRate: 0.5,
      windowMs: 2000,
      minCalls: 3,
      cooldownMs: COOLDOWN_MS,
      probes,
      limitsAreFailures,
      whenOpen: 'wait',
    });
  }

  ask(): Operation | undefined {
    const operation = operationOf();
    const refusal = this.breaker.admit(operation, this.nowMs);
    if (refusal !== undefined) {
      assert.notEqual(this.breaker.state, 'closed');
      assert.ok(refusal.kind === 'retry' && refusal.waitMs > 0 && refusal.waitMs <= COOLDOWN_MS);
      return undefined;
    }
    this.underWay.push(operation);
    if (this.breaker.state === 'half_open') this.#probes.add(operation);
    this.#check();
    return operation;
  }

  settle(which: number, replyClass: (typeof REPLY_CLASSES)[number]): void {
    const [operation] = this.underWay.splice(which % this.underWay.length, 1);
    if (operation === undefined) return;
    this.breaker.settle(resultOf(replyClass, { operation, receivedMs: this.nowMs }));
    this.#leave(operation);
  }

  withdraw(operation: Operation): void {
    this.breaker.withdraw(operation);
    this.underWay.pop();
    this.#leave(operation);
  }

  #leave(operation: Operation): void {
    this.#probes.delete(operation);
    if (this.breaker.state !== 'half_open') this.#probes.clear();
    this.#check();
  }

  #check(): void {
    assert.notEqual(this.breaker.state, this.#probes.size > 0 ? 'closed' : undefined);
    assert.ok(this.#probes.size <= this.#probeCount, `${this.#probes.size} probes of ${this.#probeCount}`);
  }
}

test('never more than the set number of probes, and never stuck', () => {
  const visited = new Set<string>();
  fc.assert(
    fc.property(plan, ({ probes, limitsAreFailures, events }) => {
      const watcher = new Watcher(probes, limitsAreFailures);
      for (const each of events) {
        if (each.kind === 'pass') watcher.nowMs += each.ms;
        else if (each.kind === 'settle') watcher.settle(each.which, each.replyClass);
        else if (each.kind === 'ask') for (let time = 0; time < each.times; time++) watcher.ask();
        else {
          const operation = watcher.ask();
          if (operation !== undefined) watcher.withdraw(operation);
        }
        visited.add(watcher.breaker.state);
      }
      while (watcher.underWay.length > 0) watcher.settle(0, 'other');
      watcher.nowMs += COOLDOWN_MS;
      for (let probe = 0; probe < probes && watcher.breaker.state !== 'closed'; probe++) {
        assert.ok(watcher.ask() !== undefined, `no way out of ${watcher.breaker.state}`);
        watcher.settle(0, 'ok');
      }
      assert.equal(watcher.breaker.state, 'closed');
    }),
    { numRuns: 500 },
  );
  assert.deepEqual([...visited].sort(), ['closed', 'half_open', 'open'], 'the sequences reach every state');
});
