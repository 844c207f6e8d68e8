// Holds what is tried again: statuses that may pass, by requests that may be sent twice (case A21).

import assert from 'node:assert/strict';
import test from 'node:test';
import { SimulatedClock } from '../../bench/clocks/simulated-clock.ts';
import { InProcessTransport } from '../../platform-sim/in-process.ts';
import type { NoReplyCause } from '../../platform-sim/no-reply.ts';
import { Platform } from '../../platform-sim/platform.ts';
import { perform, startOperation } from '../driver.ts';
import type { Operation, Retry } from '../policy.ts';
import type { Method } from '../ports.ts';
import { Tally } from '../tally.ts';
import { READING, Task } from '../task.ts';
import { operationOf, replyOf, resultOf } from '../testing.ts';
import { attemptCap } from './attempt-cap.ts';
import { classification } from './classification.ts';
import { immediate } from './immediate.ts';

const PASSING = [429, 500, 502, 503, 504];
const ATTEMPTS = 4;
const PROPOSAL: Retry = { kind: 'retry', waitMs: 300, because: 'backoff' };
const stopped = (reason: string) => ({ kind: 'stop', reason, scope: 'operation' });

interface Request {
  readonly method: Method;
  readonly idempotencyKeys: boolean;
}

const WRITE: Request = { method: 'POST', idempotencyKeys: false };
const KEYED: Request = { method: 'POST', idempotencyKeys: true };
const REPEATABLE: readonly Request[] = [
  KEYED,
  { method: 'PATCH', idempotencyKeys: true },
  ...(['GET', 'HEAD', 'PUT', 'DELETE'] as const).map((method) => ({ method, idempotencyKeys: false })),
];
const UNREPEATABLE: readonly Request[] = [WRITE, { method: 'PATCH', idempotencyKeys: false }];

interface Answer {
  readonly status: number;
  readonly lost?: boolean;
}

/** One operation against a platform that always answers the same; nothing else ends it but the cap. */
async function operate(request: Request, answer: Answer, methodSafety = true) {
  const clock = new SimulatedClock(0, 1e9);
  const profile = { epochMs: 0, latencyMs: [100, 100], rejectionLatencyMs: [20, 20], overheadMs: 0 } as const;
  const platform = new Platform({ ...profile, gates: [{ gate: 'scripted', replies: [answer], after: 'last' }] }, 1);
  const policies = [
    classification({ retryStatuses: PASSING, methodSafety, knowsQuota: true }),
    attemptCap(ATTEMPTS),
    immediate(),
  ];
  const settings = { client: 'tested', items: 1, prepMs: 0, ...READING, ...request };
  const task = new Task(settings, { clock, transport: new InProcessTransport(platform, clock) }, policies, new Tally());
  const { reason } = await clock.run(() => perform(task, startOperation(task, 1, 1)));
  const [outcome] = Object.entries(task.tally.outcomes).flatMap(([name, count]) => (count === 1 ? name : []));
  return { requests: platform.meter.rows()[0]?.total, reason, outcome };
}

const BROKEN: readonly Answer[] = [{ status: 500 }, { status: 502 }, { status: 503 }, { status: 504 }];
const UNHEARD: readonly Answer[] = [{ status: 200, lost: true }];
const nameOf = ({ method, idempotencyKeys }: Request, { status, lost }: Answer) =>
  `${method}${idempotencyKeys ? ' with a key' : ''}, ${lost === true ? 'no reply' : status}`;

test('case A21: a write without a key is sent once, and ends as unknown: after a 500, 502, 503, 504, or no reply', async () => {
  for (const request of UNREPEATABLE) {
    for (const answer of [...BROKEN, ...UNHEARD]) {
      const { requests, reason } = await operate(request, answer);
      assert.deepEqual([requests, reason], [1, 'outcome_unknown'], nameOf(request, answer));
    }
  }
});

test('case A21: and whoever asked for it is told that it is not known', async () => {
  for (const request of UNREPEATABLE) {
    for (const answer of [...BROKEN, ...UNHEARD]) {
      assert.equal((await operate(request, answer)).outcome, 'unknown', nameOf(request, answer));
    }
  }
});

test('case A21: with a key, or by a method that may be repeated, it is tried again up to the cap', async () => {
  for (const request of REPEATABLE) {
    for (const answer of [...BROKEN, ...UNHEARD]) {
      const { requests, reason } = await operate(request, answer);
      assert.deepEqual([requests, reason], [ATTEMPTS, 'attempts_exhausted'], nameOf(request, answer));
    }
  }
});

test('a rejection by a limit did nothing: it is tried again whatever the method', async () => {
  for (const request of [...REPEATABLE, ...UNREPEATABLE]) {
    const ended = await operate(request, { status: 429 });
    const expected = { requests: ATTEMPTS, reason: 'attempts_exhausted', outcome: 'failure' };
    assert.deepEqual(ended, expected, nameOf(request, { status: 429 }));
  }
});

test('what the request itself got wrong is permanent, whatever the method', async () => {
  for (const request of [...REPEATABLE, ...UNREPEATABLE]) {
    for (const status of [400, 401, 404, 409, 422]) {
      const expected = { requests: 1, reason: 'permanent_failure', outcome: 'failure' };
      assert.deepEqual(await operate(request, { status }), expected, nameOf(request, { status }));
    }
  }
});

test('without safety by method a write is repeated like anything else, statuses still count', async () => {
  for (const answer of [...BROKEN, ...UNHEARD]) {
    const { requests, reason } = await operate(WRITE, answer, false);
    assert.deepEqual([requests, reason], [ATTEMPTS, 'attempts_exhausted'], nameOf(WRITE, answer));
  }
  assert.equal((await operate(WRITE, { status: 422 }, false)).reason, 'permanent_failure');
});

const begun = (request: Partial<Operation>): Operation => ({ ...operationOf(), ...request });
const broken = (status: number) => ({ ...replyOf('error500'), status });

test('it keeps what was proposed, proposes nothing itself, and only its list of statuses counts', () => {
  const policy = classification({ retryStatuses: [429], methodSafety: true, knowsQuota: true });
  const decide = (status: number, method: Method, proposal?: Retry) =>
    policy.decide?.(resultOf('other', { operation: begun({ method }), reply: broken(status) }), proposal);
  assert.equal(decide(429, 'POST', PROPOSAL), PROPOSAL);
  assert.equal(decide(429, 'GET'), undefined);
  assert.deepEqual(decide(503, 'GET', PROPOSAL), stopped('permanent_failure'));
  assert.deepEqual(decide(503, 'POST', PROPOSAL), stopped('outcome_unknown'), 'safety comes before the list');
});

test('a request that never arrived is tried again whatever its method, list and key, unless none ever will', () => {
  for (const methodSafety of [true, false]) {
    const policy = classification({ retryStatuses: [], methodSafety, knowsQuota: true });
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'POST', 'PATCH'] as const) {
      for (const idempotencyKey of [undefined, 'tested-1-1']) {
        const decide = (noReply: NoReplyCause) => {
          const operation = begun({ method, idempotencyKey });
          return policy.decide?.(resultOf('never_arrived', { operation, noReply }), PROPOSAL);
        };
        assert.equal(decide('connect_failure'), PROPOSAL, method);
        assert.deepEqual(decide('connect_impossible'), stopped('permanent_failure'), method);
      }
    }
  }
});

test('an attempt without a reply may be tried again, whatever the list', () => {
  const policy = classification({ retryStatuses: [], methodSafety: true, knowsQuota: true });
  const decide = (operation: Partial<Operation>) =>
    policy.decide?.(resultOf('no_reply', { operation: begun(operation) }), PROPOSAL);
  assert.equal(decide({ method: 'GET' }), PROPOSAL);
  assert.equal(decide({ method: 'POST', idempotencyKey: 'tested-1-1' }), PROPOSAL);
  assert.deepEqual(decide({ method: 'POST' }), stopped('outcome_unknown'));
});
