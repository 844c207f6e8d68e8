// Holds that the window counts exactly what a plain list of the last so many milliseconds would, and keeps bounded memory.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { FailureWindow } from './failure-window.ts';

const WINDOW_MS = 1000;
const MAX_ENTRIES = 65_536;

/** The window as one would write it without thought of cost. */
class NaiveWindow {
  #entries: { atMs: number; failed: boolean }[] = [];

  add(atMs: number, failed: boolean): void {
    this.#entries.push({ atMs, failed });
  }

  counts(nowMs: number): { calls: number; failures: number } {
    this.#entries = this.#entries.filter(({ atMs }) => atMs > nowMs - WINDOW_MS);
    return { calls: this.#entries.length, failures: this.#entries.filter(({ failed }) => failed).length };
  }

  clear(): void {
    this.#entries = [];
  }
}

test('an entry leaves exactly when its time is up', () => {
  const window = new FailureWindow(WINDOW_MS);
  window.add(0, true);
  window.add(1, false);
  assert.deepEqual(window.counts(1), { calls: 2, failures: 1 });
  assert.deepEqual(window.counts(999), { calls: 2, failures: 1 });
  assert.deepEqual(window.counts(1000), { calls: 1, failures: 0 });
  assert.deepEqual(window.counts(1001), { calls: 0, failures: 0 });
});

test('nothing survives an idle hour', () => {
  const window = new FailureWindow(WINDOW_MS);
  for (let call = 0; call < 500; call++) window.add(call, true);
  window.add(3_600_000, false);
  assert.deepEqual(window.counts(3_600_000), { calls: 1, failures: 0 });
});

test('it equals a plain list, through growth, wrapping, expiry and clearing', () => {
  const step = fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record({ burst: fc.nat({ max: 150 }), everyMs: fc.nat({ max: 9 }), failing: fc.nat({ max: 3 }) }),
    },
    { weight: 4, arbitrary: fc.record({ idleMs: fc.nat({ max: 1200 }) }) },
    { weight: 1, arbitrary: fc.constant('clear' as const) },
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30, size: 'max' }), (steps) => {
      const [window, naive] = [new FailureWindow(WINDOW_MS), new NaiveWindow()];
      let nowMs = 0;
      for (const each of steps) {
        if (each === 'clear') {
          window.clear();
          naive.clear();
        } else if ('idleMs' in each) nowMs += each.idleMs;
        else {
          for (let call = 0; call < each.burst; call++) {
            nowMs += each.everyMs;
            const failed = call % 3 < each.failing;
            window.add(nowMs, failed);
            naive.add(nowMs, failed);
          }
        }
        assert.deepEqual(window.counts(nowMs), naive.counts(nowMs));
      }
    }),
    { numRuns: 200 },
  );
});

test('entries are bounded: the oldest leave first, with their failures', () => {
  const window = new FailureWindow(WINDOW_MS);
  for (let call = 0; call < 100; call++) window.add(0, true);
  for (let call = 100; call < MAX_ENTRIES; call++) window.add(1, false);
  assert.deepEqual(window.counts(1), { calls: MAX_ENTRIES, failures: 100 });
  for (let call = 0; call < 60; call++) window.add(2, false);
  assert.deepEqual(window.counts(2), { calls: MAX_ENTRIES, failures: 40 });
  for (let call = 0; call < 100; call++) window.add(3, true);
  assert.deepEqual(window.counts(3), { calls: MAX_ENTRIES, failures: 100 });
  assert.deepEqual(window.counts(1001), { calls: 160, failures: 100 });
  assert.deepEqual(window.counts(1003), { calls: 0, failures: 0 });
});
