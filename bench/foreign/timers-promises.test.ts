// Holds that waits by promise, iterators of intervals and signals with a timeout end on simulated time as Node's do.

import assert from 'node:assert/strict';
import test from 'node:test';
import * as nodePromises from 'node:timers/promises';
import { promisify } from 'node:util';
import { idle, logOf } from './testing.ts';

const silent = () => {};

test('promise forms: the value comes at its time, by promisify as well', async () => {
  const log = await logOf(async (timers, say) => {
    const { setTimeout: wait, setImmediate: soon, scheduler } = timers.promises();
    say(await soon('soon'));
    say(await wait(10, 'waited'));
    await scheduler.wait(5);
    await scheduler.yield();
    say('scheduled');
    const { setTimeout: callbackForm, setImmediate: immediateForm } = timers.callbackForms();
    say(await promisify(callbackForm)(7, 'promisified'));
    say(await promisify(immediateForm)('at once'));
  });
  assert.deepEqual(log, [
    [0, 'soon'],
    [10, 'waited'],
    [15, 'scheduled'],
    [22, 'promisified'],
    [22, 'at once'],
  ]);
});

/** Name, code and cause of a rejection. */
async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason as Error & { readonly code?: string },
  );
  return [error?.name, error?.code, error?.message, error?.cause];
}

test('a signal ends a wait as it ends one of Node, before and while it waits, and clears the timer', async () => {
  const before = AbortSignal.abort('reason');
  const ofNode = await rejection(nodePromises.setTimeout(1e9, undefined, { signal: before }));
  assert.deepEqual(ofNode, ['AbortError', 'ABORT_ERR', 'The operation was aborted', 'reason']);
  const log = await logOf(async (timers, say) => {
    const { setTimeout: wait, setImmediate: soon, scheduler } = timers.promises();
    for (const form of [
      wait(10, 0, { signal: before }),
      soon(0, { signal: before }),
      scheduler.wait(9, { signal: before }),
    ])
      assert.deepEqual(await rejection(form), ofNode);
    const controller = new AbortController();
    timers.setTimeout(() => controller.abort('reason'), 20);
    say(await rejection(wait(1e6, 'never', { signal: controller.signal })));
    say(await wait(30, 'in time', { signal: new AbortController().signal }));
  });
  assert.deepEqual(log, [
    [20, ofNode],
    [50, 'in time'],
  ]);
});

test('a wait with ref: false keeps nothing going', async () => {
  const log = await logOf((timers, say) => {
    void timers.promises().setTimeout(50, 'late', { ref: false }).then(say);
    void timers.promises().setTimeout(10, 'in time', { ref: false }).then(say);
    timers.setTimeout(() => say('last'), 20);
  });
  assert.deepEqual(log, [
    [10, 'in time'],
    [20, 'last'],
  ]);
});

test('the iterator of intervals ticks on while a tick is dealt with, and ends with its consumer or its signal', async () => {
  const log = await logOf(async (timers, say) => {
    const { setInterval: every, setTimeout: wait } = timers.promises();
    let ticks = 0;
    for await (const value of every(10, 'tick')) {
      say(value);
      if (++ticks === 4) break;
      // The second and third tick come meanwhile and are handed out at once.
      if (ticks === 1) await wait(25);
    }
    const controller = new AbortController();
    timers.setTimeout(() => controller.abort('reason'), 25);
    const all = (async () => {
      for await (const value of every(10, 'other', { signal: controller.signal })) say(value);
    })();
    say(await rejection(all));
  });
  assert.deepEqual(log, [
    [10, 'tick'],
    [35, 'tick'],
    [35, 'tick'],
    [40, 'tick'],
    [50, 'other'],
    [60, 'other'],
    [65, ['AbortError', 'ABORT_ERR', 'The operation was aborted', 'reason']],
  ]);
  // As Node's own does, with a signal that is aborted before.
  const signal = AbortSignal.abort('reason');
  const first = (iterator: AsyncIterator<unknown>) => rejection(iterator.next());
  const every = idle().promises().setInterval(1, 0, { signal });
  assert.deepEqual(await first(every), await first(nodePromises.setInterval(1, 0, { signal })[Symbol.asyncIterator]()));
});

test('AbortSignal.timeout aborts in time with a TimeoutError, keeps nothing going, and refuses what Node refuses', async () => {
  const log = await logOf((timers, say) => {
    const signal = timers.abortAfter(15);
    signal.addEventListener('abort', () => say([signal.reason.name, signal.reason instanceof DOMException]));
    timers.abortAfter(5000).addEventListener('abort', () => say('too late'));
    timers.setTimeout(silent, 40);
  });
  assert.deepEqual(log, [[15, ['TimeoutError', true]]]);
  for (const wrong of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 32, '5', undefined]) {
    const ms = wrong as number;
    const codeOf = (run: () => unknown): unknown => {
      try {
        run();
        return undefined;
      } catch (error) {
        return (error as { readonly code?: string }).code;
      }
    };
    assert.equal(
      codeOf(() => idle().abortAfter(ms)),
      codeOf(() => AbortSignal.timeout(ms)),
      String(wrong),
    );
    assert.notEqual(
      codeOf(() => idle().abortAfter(ms)),
      undefined,
      String(wrong),
    );
  }
});
