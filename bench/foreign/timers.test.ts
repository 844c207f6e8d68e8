// Holds that timers on simulated time do what Node's do: order, arguments, clearing, refresh, ref and contexts.

import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import test from 'node:test';
import fc from 'fast-check';
import { idle, logOf } from './testing.ts';
import { delayOf, SimulatedTimer } from './timers.ts';

const silent = () => {};
const DELAYS: readonly unknown[] = [
  undefined,
  null,
  0,
  -1,
  0.5,
  1,
  1.9,
  2,
  250,
  '40',
  '',
  'soon',
  {},
  [],
  [7],
  true,
].concat([Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31 - 1, 2 ** 31, -(2 ** 31)]);

/** How long Node's own timer would take; it never fires. Read before it is cleared, which puts -1 there. */
function nodeDelay(ms: unknown): number {
  const timer = setTimeout(silent, ms as number);
  const { _idleTimeout: delay } = timer as unknown as { readonly _idleTimeout: number };
  clearTimeout(timer);
  return Math.trunc(delay);
}

test('a delay is read as Node reads it', () => {
  for (const ms of DELAYS) assert.equal(delayOf(ms), nodeDelay(ms), String(ms));
  fc.assert(
    fc.property(fc.double({ min: -5, max: 2 ** 31 - 1 }), (ms) => delayOf(ms) === nodeDelay(ms)),
    { numRuns: 200 },
  );
  for (const ms of [10n, Symbol('soon')]) {
    assert.throws(() => setTimeout(silent, ms as unknown as number), TypeError);
    assert.throws(() => delayOf(ms), TypeError);
  }
});

test('timers fire in order of time, those of one time in the order in which they were set', async () => {
  const log = await logOf((timers, say) => {
    for (const [ms, name] of [
      [20, 'b'],
      [10, 'a'],
      [20, 'c'],
      [0, 'first'],
      [-5, 'second'],
    ] as const)
      timers.setTimeout(() => say(name), ms);
  });
  assert.deepEqual(log, [
    [1, 'first'],
    [1, 'second'],
    [10, 'a'],
    [20, 'b'],
    [20, 'c'],
  ]);
});

test('arguments and this arrive, and what is not a function is refused in the words of Node', async () => {
  const seen: unknown[] = [];
  await logOf((timers) => {
    timers.setTimeout(
      function (this: unknown, ...args: unknown[]) {
        seen.push(this instanceof SimulatedTimer, ...args);
      },
      5,
      1,
      'two',
    );
    timers.setImmediate((...args) => seen.push(...args), 3);
  });
  assert.deepEqual(seen, [3, true, 1, 'two']);
  for (const wrong of [undefined, 'alert()', {}]) {
    const bad = wrong as unknown as () => void;
    assert.throws(() => setTimeout(bad, 1), { name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' });
    for (const set of [idle().setTimeout, idle().setInterval, idle().setImmediate])
      assert.throws(() => set(bad, 1), { name: 'TypeError', code: 'ERR_INVALID_ARG_TYPE' });
  }
});

const CLEARS: readonly (readonly [string, (timer: SimulatedTimer) => unknown])[] = [
  ['the object', (timer) => timer],
  ['its number', (timer) => +timer],
  ['its number as text', (timer) => String(+timer)],
];

for (const [name, handle] of CLEARS) {
  test(`cleared by ${name}, a timer does not fire; one that has fired can be cleared too`, async () => {
    const log = await logOf((timers, say) => {
      timers.clear(handle(timers.setTimeout(() => say('cleared'), 5)));
      const fired = timers.setTimeout(() => say('fired'), 6);
      const known = handle(fired);
      timers.setTimeout(() => timers.clear(known), 7);
      let ticks = 0;
      const every = timers.setInterval(() => {
        say(`tick ${++ticks}`);
        if (ticks === 3) timers.clear(handle(every));
      }, 10);
    });
    assert.deepEqual(log, [
      [6, 'fired'],
      [10, 'tick 1'],
      [20, 'tick 2'],
      [30, 'tick 3'],
    ]);
  });
}

test('clearing nothing is allowed, and so is clearing a timer of the machine', () => {
  const timers = idle();
  for (const nothing of [undefined, null, 77, '77', Number.NaN]) timers.clear(nothing);
  const machine = setTimeout(silent, 1e9);
  timers.clear(machine);
  assert.equal((machine as unknown as { readonly _destroyed: boolean })._destroyed, true);
});

test('close, dispose and clear are the same', async () => {
  const log = await logOf((timers, say) => {
    timers.setTimeout(() => say('closed'), 5).close();
    const disposed = timers.setTimeout(() => say('disposed'), 5) as unknown as Record<symbol, () => void>;
    disposed[Symbol.dispose]?.();
    timers.setImmediate(() => say('cleared')).clear();
    timers.setTimeout(() => say('kept'), 6);
  });
  assert.deepEqual(log, [[6, 'kept']]);
});

test('refresh counts from now, starts one again that has fired, and none that was cleared', async () => {
  const log = await logOf((timers, say) => {
    const timer = timers.setTimeout(() => say('late'), 10);
    timers.setTimeout(() => timer.refresh(), 8);
    timers.setTimeout(() => timer.refresh(), 30);
    const cleared = timers.setTimeout(() => say('cleared'), 10);
    timers.clear(cleared);
    cleared.refresh();
  });
  assert.deepEqual(log, [
    [18, 'late'],
    [40, 'late'],
  ]);
});

test('what an interval sets for the time of its next tick comes before it, as in Node', async () => {
  const log = await logOf((timers, say) => {
    let ticks = 0;
    const every = timers.setInterval(() => {
      say('tick');
      timers.setTimeout(() => say('set in it'), 10);
      if (++ticks === 2) timers.clear(every);
    }, 10);
  });
  assert.deepEqual(log, [
    [10, 'tick'],
    [20, 'set in it'],
    [20, 'tick'],
    [30, 'set in it'],
  ]);
});

test("a timer that was unref'd fires while another keeps time going, and keeps nothing going itself", async () => {
  const log = await logOf((timers, say) => {
    timers.setTimeout(() => say('unref in time'), 5).unref();
    timers.setTimeout(() => say('last'), 10);
    timers.setTimeout(() => say('too late'), 20).unref();
    timers
      .setInterval(() => say('ref again'), 9)
      .unref()
      .ref()
      .unref();
  });
  assert.deepEqual(log, [
    [5, 'unref in time'],
    [9, 'ref again'],
    [10, 'last'],
  ]);
  for (const timer of [idle().setTimeout(silent, 5), setTimeout(silent, 1e9)]) {
    const seen = [timer.hasRef(), timer.unref().hasRef(), timer.ref().hasRef(), timer.close().hasRef()];
    assert.deepEqual(seen, [true, false, true, true]);
  }
});

test('an immediate runs before time goes on, and one that is cleared holds nothing up', async () => {
  const log = await logOf((timers, say) => {
    timers.setTimeout(() => say('timer'), 1);
    timers.setImmediate(() => timers.setImmediate(() => timers.setImmediate(() => say('immediate'))));
    timers.clear(timers.setImmediate(() => say('cleared')));
  });
  assert.deepEqual(log, [
    [0, 'immediate'],
    [1, 'timer'],
  ]);
});

test('an asynchronous context is kept over timers, intervals and immediates', async () => {
  const context = new AsyncLocalStorage<string>();
  const log = await logOf((timers, say) => {
    const tell = () => say(context.getStore());
    context.run('a', () => {
      timers.setTimeout(tell, 1);
      timers.setImmediate(tell);
      const every = timers.setInterval(() => {
        tell();
        timers.clear(every);
      }, 3);
    });
    context.run('b', () => timers.setTimeout(tell, 2));
  });
  assert.deepEqual(
    log.map(([, what]) => what),
    ['a', 'a', 'b', 'a'],
  );
});
