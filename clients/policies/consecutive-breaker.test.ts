// Holds the row of failures that opens it (seed 003, case A32), and the whole of it to a reference that keeps every result
// instead of counting.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { type Operation, REPLY_CLASSES, type ReplyClass } from '../policy.ts';
import { operationOf, resultOf, waitOf } from '../testing.ts';
import { type Outcome, outcomeOf } from './breaker-gate.ts';
import { ConsecutiveBreaker, type ConsecutiveBreakerSettings } from './consecutive-breaker.ts';

const SEED_003: ConsecutiveBreakerSettings = {
  threshold: 5,
  cooldownMs: 30_000,
  probes: 1,
  limitsAreFailures: false,
  whenOpen: 'wait',
};

/** Admits and settles one attempt after the other at one time; returns after which one the breaker was open first. */
function run(breaker: ConsecutiveBreaker, replyClasses: readonly ReplyClass[], nowMs = 0): number | undefined {
  let openAfter: number | undefined;
  for (const [index, replyClass] of replyClasses.entries()) {
    const operation = operationOf(index + 1);
    if (breaker.admit(operation, nowMs) !== undefined) break;
    breaker.settle(resultOf(replyClass, { operation, sentMs: nowMs, receivedMs: nowMs }));
    if (breaker.state === 'open') openAfter ??= index + 1;
  }
  return openAfter;
}

const F = 'error500';
const times = (count: number, replyClass: ReplyClass) => new Array<ReplyClass>(count).fill(replyClass);

test('closed: after which result it opens', () => {
  const table: [openAfter: number | undefined, ReplyClass[], Partial<ConsecutiveBreakerSettings>?][] = [
    // A32: as a success the 400 would keep it closed for ever, as a failure it would open it at the fifth.
    [6, [F, F, 'other', F, F, F]],
    [5, times(5, F)],
    [5, times(5, 'error503')],
    [5, times(5, 'no_reply')],
    [5, times(5, 'never_arrived')],
    [5, [F, 'error503', 'no_reply', F, F]],
    [undefined, times(4, F)],
    [undefined, [...times(4, F), 'ok', ...times(4, F)]],
    [10, [...times(4, F), 'ok', ...times(5, F)]],
    [undefined, times(1000, 'other')],
    [undefined, times(1000, 'limit429')],
    [undefined, times(1000, 'quota429')],
    [1004, [...times(4, F), ...times(999, 'limit429'), F]],
    [5, times(5, 'limit429'), { limitsAreFailures: true }],
    [5, [...times(4, F), 'quota429'], { limitsAreFailures: true }],
    [undefined, times(1000, 'other'), { limitsAreFailures: true }],
    [1, [F], { threshold: 1 }],
  ];
  for (const [openAfter, replyClasses, changes] of table) {
    const breaker = new ConsecutiveBreaker({ ...SEED_003, ...changes });
    assert.equal(run(breaker, replyClasses), openAfter, replyClasses.slice(0, 12).join());
    assert.equal(breaker.timesOpened, openAfter === undefined ? 0 : 1);
  }
});

test('seed 003: five failures open it, it refuses, after the cooldown one probe goes, whose success closes it', () => {
  const breaker = new ConsecutiveBreaker(SEED_003);
  run(breaker, times(5, F));
  assert.deepEqual(breaker.admit(operationOf(), 1), { kind: 'retry', waitMs: 29_999, because: 'circuit_open' });
  const probe = operationOf();
  assert.equal(breaker.admit(probe, 30_000), undefined);
  assert.ok(waitOf(breaker.admit(operationOf(), 30_000)) > 0);
  breaker.settle(resultOf('ok', { operation: probe, sentMs: 30_000, receivedMs: 30_100 }));
  assert.equal(breaker.state, 'closed');
  assert.equal(run(breaker, times(5, F), 30_100), 5, 'the row starts anew');
});

test('A32: half-open and a 400: it stays half-open, with the slot free; one failure opens it again', () => {
  const breaker = new ConsecutiveBreaker({ ...SEED_003, whenOpen: 'fail' });
  run(breaker, times(5, F));
  for (const neutral of ['other', 'limit429', 'other'] as const) {
    assert.equal(run(breaker, [neutral], 30_000), undefined);
    assert.equal(breaker.state, 'half_open');
  }
  assert.equal(run(breaker, [F], 30_000), 1);
  const stop = { kind: 'stop', reason: 'circuit_open', scope: 'operation' };
  assert.deepEqual(breaker.admit(operationOf(), 59_999), stop);
});

test('what was sent before it closed neither adds to the new row nor ends it', () => {
  for (const [stale, openAfter] of [
    ['error500', 5],
    ['ok', 1],
  ] as const) {
    const breaker = new ConsecutiveBreaker(SEED_003);
    run(breaker, times(5, F));
    run(breaker, ['ok'], 30_000);
    run(breaker, times(stale === 'ok' ? 4 : 0, F), 30_000);
    for (let late = 0; late < 9; late++) breaker.settle(resultOf(stale, { sentMs: 0, receivedMs: 30_000 }));
    assert.equal(run(breaker, times(5, F), 30_000), openAfter, stale);
  }
});

interface Attempt {
  readonly operation: Operation;
  readonly sentMs: number;
  readonly era: number;
}

/** The same by keeping everything: eras that end with each change of state, and what was admitted and settled in each. */
class Reference {
  state = 'closed';
  era = 0;
  readonly #settings: ConsecutiveBreakerSettings;
  #openedMs = 0;
  #outcomes: Outcome[] = [];
  #underWay = 0;

  constructor(settings: ConsecutiveBreakerSettings) {
    this.#settings = settings;
  }

  get unsettled(): number {
    return this.#underWay;
  }

  admits(nowMs: number): boolean {
    if (this.state === 'open' && nowMs - this.#openedMs >= this.#settings.cooldownMs) this.#enter('half_open');
    const succeeded = this.#outcomes.filter((outcome) => outcome === 'success').length;
    const full = this.#underWay + succeeded >= this.#settings.probes;
    if (this.state === 'open' || (this.state === 'half_open' && full)) return false;
    this.#underWay++;
    return true;
  }

  withdraw(): void {
    this.#underWay--;
  }

  settle(era: number, outcome: Outcome, nowMs: number): void {
    if (era !== this.era) return;
    this.#underWay--;
    this.#outcomes.push(outcome);
    const told = this.#outcomes.filter((each) => each !== 'neutral');
    const { threshold, probes } = this.#settings;
    const closed = this.state === 'closed';
    const row = told.slice(-threshold);
    if (closed ? row.length === threshold && row.every((each) => each === 'failure') : told.includes('failure')) {
      this.#enter('open');
      this.#openedMs = nowMs;
    } else if (!closed && told.length >= probes) this.#enter('closed');
  }

  #enter(state: string): void {
    this.state = state;
    this.era++;
    this.#outcomes = [];
    this.#underWay = 0;
  }
}

const event = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('ask' as const), times: fc.integer({ min: 1, max: 6 }) }) },
  {
    weight: 7,
    arbitrary: fc.record({
      kind: fc.constant('settle' as const),
      which: fc.nat(),
      replyClass: fc.constantFrom(...REPLY_CLASSES, 'ok' as const, 'error500' as const, 'error500' as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('withdraw' as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat({ max: 700 }) }) },
);
const plan = fc.record({
  threshold: fc.integer({ min: 1, max: 5 }),
  probes: fc.integer({ min: 1, max: 4 }),
  limitsAreFailures: fc.boolean(),
  events: fc.array(event, { maxLength: 150, size: 'max' }),
});

test('any order of events: as the reference, and never more unsettled probes than set', () => {
  const visited = new Map<string, number>();
  fc.assert(
    fc.property(plan, ({ events, ...changes }) => {
      const settings: ConsecutiveBreakerSettings = { ...changes, cooldownMs: 1000, whenOpen: 'wait' };
      const breaker = new ConsecutiveBreaker(settings);
      const reference = new Reference(settings);
      const underWay: Attempt[] = [];
      let nowMs = 0;
      const ask = (): boolean => {
        const operation = operationOf();
        const refusal = breaker.admit(operation, nowMs);
        assert.equal(refusal === undefined, reference.admits(nowMs));
        if (refusal === undefined) underWay.push({ operation, sentMs: nowMs, era: reference.era });
        else assert.ok(waitOf(refusal) > 0 && waitOf(refusal) <= 1000);
        return refusal === undefined;
      };
      const settle = (which: number, replyClass: ReplyClass): void => {
        const [attempt] = underWay.splice(which % Math.max(1, underWay.length), 1);
        if (attempt === undefined) return;
        breaker.settle(resultOf(replyClass, { ...attempt, receivedMs: nowMs }));
        reference.settle(attempt.era, outcomeOf(resultOf(replyClass), settings.limitsAreFailures), nowMs);
      };
      for (const each of events) {
        if (each.kind === 'pass') nowMs += each.ms;
        else if (each.kind === 'settle') settle(each.which, each.replyClass);
        else if (each.kind === 'ask') for (let time = 0; time < each.times; time++) ask();
        else if (ask()) {
          breaker.withdraw((underWay.pop() as Attempt).operation);
          reference.withdraw();
        }
        assert.equal(breaker.state, reference.state);
        if (breaker.state === 'half_open') assert.ok(reference.unsettled <= settings.probes);
        visited.set(breaker.state, (visited.get(breaker.state) ?? 0) + 1);
      }
      nowMs += 1000;
      while (underWay.length > 0) settle(0, 'other');
      for (let probe = 0; probe < settings.probes && breaker.state !== 'closed'; probe++) {
        assert.ok(ask(), `no way out of ${breaker.state}`);
        settle(0, 'ok');
      }
      assert.equal(breaker.state, 'closed');
    }),
    { numRuns: 500 },
  );
  for (const state of ['closed', 'open', 'half_open'])
    assert.ok((visited.get(state) ?? 0) > 1000, `${state}: ${visited.get(state)} events`);
});
