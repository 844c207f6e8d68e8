// Holds when simulated time goes on for foreign code, and when it does not: one event at a time, only in stillness, and every
// way in which a night can not go on has its name.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { ForeignClock } from './foreign-clock.ts';
import { ForeignError } from './foreign-error.ts';
import { native } from './natives.ts';
import { STILL, simulate } from './testing.ts';

const silent = () => {};

test('events come in order of time, then in the order in which they were scheduled, whatever is cancelled', async () => {
  const delays = fc.array(fc.tuple(fc.integer({ min: 0, max: 20 }), fc.boolean()), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(delays, async (all) => {
      const ran: number[] = [];
      const clock = await simulate((own) => {
        const due = all.map(([delay], index) => own.schedule(delay, () => ran.push(index)));
        all.forEach(([, cancelled], index) => {
          if (cancelled) own.cancel(due[index] ?? assert.fail());
        });
      });
      const kept = [...all.entries()].filter(([, [, cancelled]]) => !cancelled);
      kept.sort(([a, [left]], [b, [right]]) => left - right || a - b);
      assert.deepEqual(
        ran,
        kept.map(([index]) => index),
      );
      assert.equal(clock.nowMs(), Math.max(0, ...kept.map(([, [delay]]) => delay)));
    }),
    { numRuns: 30 },
  );
});

test('the calendar starts at the epoch and the client at its start', async () => {
  const seen: number[] = [];
  await simulate((clock) => clock.schedule(5, () => seen.push(clock.nowMs(), clock.dateMs())), {
    epochMs: 1000,
    startMs: 40,
  });
  assert.deepEqual(seen, [45, 1045]);
});

test('between two events of one time there are turns of the event loop in which the first one is dealt with', async () => {
  const seen: string[] = [];
  await simulate((clock) => {
    clock.schedule(5, () => {
      seen.push('first');
      native.setImmediate(() => seen.push('and what follows from it'));
    });
    clock.schedule(5, () => seen.push('second'));
  });
  assert.deepEqual(seen, ['first', 'and what follows from it', 'second']);
});

/** How a night ends in which `begin` is all that happens. */
async function endOf(
  begin: (clock: ForeignClock) => void,
  ...[settings, surroundings]: Parameters<typeof simulate> extends [unknown, ...infer Rest] ? Rest : never
): Promise<string> {
  const clock = new ForeignClock(
    { epochMs: 0, startMs: 0, limitMs: 1000, quietTurns: 2, patienceMs: 50, ...settings },
    { ...STILL, ...surroundings },
  );
  return await new Promise((resolve) => {
    clock.start((error) => {
      const name = error instanceof ForeignError ? error.message : error === undefined ? 'ended' : String(error);
      resolve(`${name} at ${clock.nowMs()}, limit ${clock.limit}`);
    });
    begin(clock);
  });
}

const forever = (clock: ForeignClock): void => {
  const again = () => clock.schedule(300, again);
  again();
};

test("nothing due: a client that still waits is stalled; unref'd events keep nothing going", async () => {
  const stalled = 'stalled: nothing is due at 0 ms, and the client still waits at 0, limit undefined';
  assert.equal(await endOf(silent), stalled);
  assert.equal(await endOf((clock) => clock.schedule(5, silent, false)), stalled);
  const unref = (clock: ForeignClock) => clock.setRef(clock.schedule(5, silent), false);
  assert.equal(await endOf(unref), stalled);
  const cancelled = (clock: ForeignClock) => {
    const due = clock.schedule(5, silent);
    clock.cancel(due);
    clock.cancel(due);
    clock.setRef(due, false);
  };
  assert.equal(await endOf(cancelled), stalled);
});

test('nothing due, and that is the natural end: time waits for what wakes it', async () => {
  const seen: number[] = [];
  const end = await endOf((clock) => {
    clock.endsWhenIdle = true;
    let turns = 0;
    const later = () => {
      if (++turns < 20) native.setImmediate(later);
      else
        clock.schedule(7, () => {
          seen.push(clock.nowMs());
          clock.stop();
        });
    };
    later();
  });
  assert.deepEqual([end, seen], ['ended at 7, limit undefined', [7]]);
});

test('a night without an end is cut at its limit', async () => {
  assert.equal(await endOf(forever), 'ended at 1000, limit time_limit');
});

test('what never comes to rest is given up after a while, and what is under way is named', async () => {
  const moving = { stillness: () => undefined, underWay: () => 'half a connection' };
  assert.match(await endOf(forever, {}, moving), /^no_progress: nothing moved for 0\.05 s .*: half a connection at 0/);
  const held = (clock: ForeignClock) => clock.hold();
  assert.match(
    await endOf(held),
    /^no_progress: .*: 1 immediates or calls that work on another thread, nothing of ours/,
  );
});

test('a million immediates at one moment are a loop that waits for time to pass', async () => {
  const loop = (clock: ForeignClock) => {
    for (let turn = 0; turn <= 1_000_000; turn++) {
      clock.hold();
      clock.release();
    }
  };
  assert.match(await endOf(loop), /^no_progress: more than 1000000 immediates at 0 ms/);
});

test('something that moves is progress, however long it takes', async () => {
  let turns = 0;
  const stillness = () => ++turns;
  const end = endOf(forever, { patienceMs: 5 }, { stillness: () => (turns < 20_000 ? stillness() : 0) });
  assert.equal(await end, 'ended at 1000, limit time_limit');
});

test('time waits for a hold, and goes on after its release', async () => {
  const seen: string[] = [];
  await simulate((clock) => {
    clock.schedule(1, () => seen.push('event'));
    clock.hold();
    let turns = 0;
    const work = () => {
      if (++turns < 50) native.setImmediate(work);
      else {
        seen.push('work');
        clock.release();
      }
    };
    work();
  });
  assert.deepEqual(seen, ['work', 'event']);
});

test('stillness must last for as many turns as are asked for', async () => {
  for (const quietTurns of [1, 2, 5]) {
    let turns = 0;
    const stillness = () => {
      turns++;
      return 0;
    };
    const clock = await simulate((own) => own.schedule(1, silent), { quietTurns }, { stillness });
    assert.equal(clock.nowMs(), 1);
    // Once before the event and once before the end; the first turn of each only finds out that all is still.
    assert.ok(turns >= 2 * quietTurns && turns <= 2 * (quietTurns + 1), `${turns} turns for ${quietTurns}`);
  }
});

test('a fault ends the night at the next rest, before anything else happens', async () => {
  const fault = () => new ForeignError('escaped_timer', 'x');
  assert.equal(await endOf(forever, {}, { fault }), 'escaped_timer: x at 0, limit undefined');
});

test('what came in is dealt with before time goes on', async () => {
  let waiting = 3;
  const seen: number[] = [];
  await simulate(
    (clock) => clock.schedule(1, () => seen.push(waiting)),
    {},
    { settle: () => waiting > 0 && waiting-- > 0 },
  );
  assert.deepEqual(seen, [0]);
});

test('a client that is through: what it sent is dealt with, nothing more falls due, and faults are still found', async () => {
  let waiting = 2;
  const settle = () => waiting > 0 && waiting-- > 0;
  const finish = (clock: ForeignClock) => {
    forever(clock);
    clock.finish();
  };
  assert.equal(await endOf(finish, {}, { settle }), 'ended at 0, limit undefined');
  assert.equal(waiting, 0);
  const fault = () => new ForeignError('socket_elsewhere', 'x');
  assert.equal(await endOf(finish, {}, { fault }), 'socket_elsewhere: x at 0, limit undefined');
});

test('a limit of calls cuts the night where it is, and the end is told once', async () => {
  let ends = 0;
  const clock = new ForeignClock({ epochMs: 0, startMs: 3, limitMs: 10, quietTurns: 1, patienceMs: 50 }, STILL);
  clock.start(() => ends++);
  clock.cut('call_limit');
  clock.stop(new Error('late'));
  clock.schedule(1, () => assert.fail('after the end'));
  for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => native.setImmediate(resolve));
  assert.deepEqual([ends, clock.limit, clock.nowMs()], [1, 'call_limit', 3]);
});
