// What is remembered of clients has a bound, and what is beyond it is counted without being remembered.

import assert from 'node:assert/strict';
import test from 'node:test';
import type { Verdict } from '../../platform-sim/types.ts';
import { BoundedSet, Room } from './bounded-set.ts';
import { ClientBook } from './client-book.ts';

const verdict = (verdictClass: 'ok' | 'soft'): Verdict => ({
  verdictClass,
  status: verdictClass === 'ok' ? 200 : 429,
  billed: verdictClass === 'ok',
  latencyMs: 0,
  lost: false,
  limitKind: verdictClass === 'ok' ? undefined : 'soft',
  retryAfter: undefined,
});
const TOLD = { kind: 'seconds', waitMs: 2000, source: 'retry-after' } as const;

test('sets that share a room fill it together; what is in them stays', () => {
  const room = new Room(3);
  const [one, two] = [new BoundedSet(room), new BoundedSet(room)];
  assert.deepEqual(
    [1, 1, 2].map((key) => one.admit(key)),
    [true, true, true],
  );
  assert.deepEqual(
    [1, 5, 1].map((key) => two.admit(key)),
    [true, false, true],
  );
  assert.deepEqual([one.size, two.size], [2, 1]);
});

/** Attempts on one thing: when it was answered with a told wait of 2 s, when it comes again, and whether that is early. */
const AGAIN: readonly (readonly [slackMs: number, answeredMs: number, againMs: number, early: number])[] = [
  [0, 100, 2099, 1],
  [0, 100, 2100, 0],
  [1, 100, 2098, 1],
  [1, 100, 2099, 0],
  [20, 100, 2079, 1],
  [20, 100, 2080, 0],
];

test('early is before the told time, but for what timers differ by', () => {
  for (const [slackMs, answeredMs, againMs, early] of AGAIN) {
    const book = new ClientBook(new Room(5), slackMs);
    assert.ok(book.decided(7, verdict('soft'), 50));
    book.answered(7, verdict('soft'), TOLD, answeredMs);
    book.decided(8, verdict('ok'), againMs);
    assert.equal(book.earlyRetries, 0, 'another thing was told nothing');
    book.decided(7, verdict('ok'), againMs);
    assert.equal(book.earlyRetries, early, `${slackMs} ${againMs}`);
    book.answered(7, verdict('ok'), { kind: 'absent' }, againMs);
    book.decided(7, verdict('ok'), againMs);
    assert.equal(book.earlyRetries, early, 'a success is the last word');
    assert.deepEqual([book.asked, book.done, book.untracked], [2, 1, 0]);
  }
});

test('without room a call is counted and not remembered', () => {
  const book = new ClientBook(new Room(1), 0);
  assert.equal(book.decided(1, verdict('ok'), 0), true);
  assert.equal(book.decided(2, verdict('ok'), 0), false);
  assert.equal(book.decided(undefined, verdict('ok'), 0), false);
  assert.deepEqual([book.asked, book.untracked, book.calls.ok, book.billed], [1, 2, 3, 3]);
  book.missed(verdict('ok'), 0);
  assert.equal(book.meter.rows()[0]?.unheard_ok, book.unheard);
});
