// Holds the half-open slots: how many, who frees them, and whose results say nothing. Case A30 is here.

import assert from 'node:assert/strict';
import test from 'node:test';
import { type Operation, REPLY_CLASSES } from '../policy.ts';
import { operationOf, replyOf, resultOf } from '../testing.ts';
import { BreakerGate, type BreakerGateSettings, type Outcome, outcomeOf } from './breaker-gate.ts';

const COOLDOWN_MS = 30_000;

/** A gate that opened at 0. */
function openedGate(changes: Partial<BreakerGateSettings> = {}): BreakerGate {
  const gate = new BreakerGate({ cooldownMs: COOLDOWN_MS, probes: 3, whenOpen: 'fail', ...changes });
  gate.open(0);
  return gate;
}

function ask(gate: BreakerGate, times: number, nowMs: number): Operation[] {
  const operations = Array.from({ length: times }, (_, index) => operationOf(index + 1));
  return operations.filter((operation) => gate.admit(operation, nowMs) === undefined);
}

const settle = (gate: BreakerGate, outcome: Outcome, operation: Operation, receivedMs: number, sentMs = receivedMs) =>
  gate.settle(resultOf('ok', { operation, sentMs, receivedMs }), outcome);

test('classes: what fails, what succeeds, and what says nothing', () => {
  const outcomes = (limitsAreFailures: boolean) =>
    REPLY_CLASSES.map((replyClass) => [replyClass, outcomeOf(resultOf(replyClass), limitsAreFailures)]);
  const fixed = {
    ok: 'success',
    error500: 'failure',
    error503: 'failure',
    other: 'neutral',
    no_reply: 'failure',
    never_arrived: 'failure',
  };
  assert.deepEqual(Object.fromEntries(outcomes(false)), { ...fixed, limit429: 'neutral', quota429: 'neutral' });
  assert.deepEqual(Object.fromEntries(outcomes(true)), { ...fixed, limit429: 'failure', quota429: 'failure' });
});

test('every status of 500 and above is a failure, with a class of its own or without; a 4xx says nothing', () => {
  for (const [status, outcome] of [
    [400, 'neutral'],
    [499, 'neutral'],
    [502, 'failure'],
    [504, 'failure'],
    [599, 'failure'],
  ] as const) {
    const reply = { ...replyOf('other'), status };
    for (const limitsAreFailures of [true, false])
      assert.equal(outcomeOf({ replyClass: 'other', reply }, limitsAreFailures), outcome, `${status}`);
  }
});

test('A30: half-open with three probes, an upstream that hangs 30 s, 1000 calls in 1 s: 3 go, 997 are refused at once', () => {
  const gate = openedGate();
  const late = operationOf(2000);
  const probes: Operation[] = [];
  let refused = 0;
  for (let call = 0; call < 1000; call++) {
    const operation = operationOf(call + 1);
    const refusal = gate.admit(operation, COOLDOWN_MS + call);
    if (refusal === undefined) probes.push(operation);
    else if (refusal.kind === 'stop') refused++;
  }
  assert.deepEqual([probes.length, refused], [3, 997]);
  assert.equal(settle(gate, 'success', late, COOLDOWN_MS + 1000, 0), false);
  assert.deepEqual([gate.state, ask(gate, 1, COOLDOWN_MS + 1000).length], ['half_open', 0], 'a late result frees none');
  const timeoutMs = COOLDOWN_MS + 30_000;
  for (const probe of probes) settle(gate, 'failure', probe, timeoutMs);
  assert.deepEqual([gate.state, gate.timesOpened], ['open', 2]);
  assert.equal(settle(gate, 'success', late, timeoutMs + 1, 0), false);
  assert.equal(
    ask(gate, 1000, timeoutMs + COOLDOWN_MS - 1).length,
    0,
    'open for a whole cooldown from the first timeout',
  );
  assert.equal(ask(gate, 1000, timeoutMs + COOLDOWN_MS).length, 3);
});

test('a probe’s slot is free after every way out of it', () => {
  const ways: Record<string, (gate: BreakerGate, probe: Operation) => void> = {
    withdraw: (gate, probe) => gate.withdraw(probe),
    neutral: (gate, probe) => void settle(gate, 'neutral', probe, COOLDOWN_MS + 1),
    'neutral, then withdraw': (gate, probe) => {
      settle(gate, 'neutral', probe, COOLDOWN_MS + 1);
      gate.withdraw(probe);
    },
    'withdraw, twice': (gate, probe) => {
      gate.withdraw(probe);
      gate.withdraw(probe);
    },
  };
  for (const [name, way] of Object.entries(ways)) {
    const gate = openedGate();
    const [probe = operationOf()] = ask(gate, 3, COOLDOWN_MS);
    way(gate, probe);
    assert.equal(gate.state, 'half_open', name);
    assert.equal(ask(gate, 1000, COOLDOWN_MS + 1).length, 1, name);
  }
});

test('a success uses up its slot: no more probes are sent than must succeed', () => {
  const gate = openedGate();
  const [first, second, third] = ask(gate, 3, COOLDOWN_MS) as [Operation, Operation, Operation];
  settle(gate, 'success', first, COOLDOWN_MS + 1);
  settle(gate, 'success', second, COOLDOWN_MS + 1);
  assert.deepEqual([gate.state, ask(gate, 1000, COOLDOWN_MS + 1).length], ['half_open', 0]);
  assert.equal(settle(gate, 'success', third, COOLDOWN_MS + 2), false);
  assert.equal(gate.state, 'closed');
});

test('a probe of the round before counts for nothing in this one', () => {
  for (const outcome of ['success', 'failure', 'neutral'] as const) {
    const gate = openedGate();
    const [first, old] = ask(gate, 3, COOLDOWN_MS) as [Operation, Operation];
    settle(gate, 'failure', first, 31_000);
    assert.equal(ask(gate, 1000, 61_000).length, 3);
    settle(gate, outcome, old, 61_001, COOLDOWN_MS);
    assert.deepEqual([gate.state, gate.timesOpened, ask(gate, 9, 61_001).length], ['half_open', 2, 0], outcome);
  }
});

test('closed: only what was sent since it closed is to be counted', () => {
  const gate = openedGate({ probes: 1 });
  const [probe = operationOf()] = ask(gate, 1, COOLDOWN_MS);
  settle(gate, 'success', probe, 31_000, COOLDOWN_MS);
  for (const [sentMs, counts] of [
    [0, false],
    [30_999, false],
    [31_000, true],
    [31_001, true],
  ] as const) {
    assert.equal(settle(gate, 'failure', operationOf(), 32_000, sentMs), counts, `sent at ${sentMs}`);
  }
  assert.equal(gate.state, 'closed', 'when to open is not the gate’s to say');
});
