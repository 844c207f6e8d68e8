// A machine that was suspended in the middle of a wait: on waking everything is decided by the time that it is, not by the time
// that it was to be.

import assert from 'node:assert/strict';
import test from 'node:test';
import { perform, startOperation } from '../../clients/driver.ts';
import { buildPolicies } from '../../clients/strategies/build-policies.ts';
import { Tally } from '../../clients/tally.ts';
import { READING, Task } from '../../clients/task.ts';
import { WallClock } from './wall-clock.ts';

/** An operation whose every attempt fails, with 2 ms between attempts and a deadline; the machine sleeps in a wait. */
async function ended(suspendedMs: number) {
  let asleepMs = 0;
  const origin = new WallClock();
  const clock = new WallClock({ monotonicMs: () => origin.nowMs() + asleepMs });
  const attempts: number[] = [];
  const send = async () => {
    attempts.push(clock.nowMs());
    // When this runs the client has read the reply and waits: the machine sleeps in the second of three waits.
    if (attempts.length === 2)
      setImmediate(() => {
        asleepMs += suspendedMs;
      });
    return { status: 503, headers: {}, body: '' };
  };
  const policies = buildPolicies(
    [
      { policy: 'attempt_cap', attempts: 4 },
      { policy: 'fixed_backoff', waitMs: 2 },
      { policy: 'deadline', budgetMs: 3_000_000, reserveMs: 0, attemptMs: null },
    ],
    1,
  );
  const settings = { client: 'tested', items: 1, prepMs: 0, ...READING };
  const task = new Task(settings, { clock, transport: { send } }, policies, new Tally());
  const { reason } = await perform(task, startOperation(task, 1, 1));
  return { reason, attempts: attempts.length };
}

test('a wait that the machine slept through ends at once, and the deadline is looked at again', async () => {
  assert.deepEqual(await ended(0), { reason: 'attempts_exhausted', attempts: 4 });
  assert.deepEqual(await ended(60_000), { reason: 'attempts_exhausted', attempts: 4 }, 'a minute fits');
  assert.deepEqual(await ended(3_600_000), { reason: 'deadline', attempts: 2 }, 'an hour does not');
});
