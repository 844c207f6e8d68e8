// Holds from when on each item may be asked for again: as the server said last, item by item.

import assert from 'node:assert/strict';
import test from 'node:test';
import { NotBefore } from './not-before.ts';
import type { ToldWait } from './retry-after/told-wait.ts';

const seconds = (waitMs: number): ToldWait => ({ kind: 'seconds', waitMs, source: 'retry-after' });
const date = (waitMs: number): ToldWait => ({ kind: 'date', waitMs, source: 'retry-after' });

test('nothing was said: nothing is early', () => {
  const notBefore = new NotBefore();
  for (const item of [0, 1, 2, 3, 99]) assert.equal(notBefore.isEarly(item, 0), false, `item ${item}`);
});

test('a length or a moment counts from the receipt, and its end is not early any more', () => {
  for (const told of [seconds, date]) {
    const notBefore = new NotBefore();
    notBefore.hear(1, told(2000), 500);
    assert.deepEqual(
      [500, 2499, 2499.9, 2500, 2501].map((nowMs) => notBefore.isEarly(1, nowMs)),
      [true, true, true, false, false],
    );
  }
});

test('a wait of nothing is over at once', () => {
  const notBefore = new NotBefore();
  notBefore.hear(1, seconds(0), 500);
  assert.equal(notBefore.isEarly(1, 500), false);
});

test('each item was told for itself, the largest number included', () => {
  const notBefore = new NotBefore();
  notBefore.hear(1, seconds(1000), 0);
  notBefore.hear(3, seconds(3000), 0);
  const early = (nowMs: number) => [1, 2, 3].filter((item) => notBefore.isEarly(item, nowMs));
  assert.deepEqual([early(999), early(1000), early(2999), early(3000)], [[1, 3], [3], [3], []]);
});

test('the last word counts, longer or shorter', () => {
  const notBefore = new NotBefore();
  notBefore.hear(1, seconds(5000), 0);
  notBefore.hear(1, seconds(1000), 100);
  assert.deepEqual([notBefore.isEarly(1, 1099), notBefore.isEarly(1, 1100)], [true, false]);
  notBefore.hear(1, date(9000), 200);
  assert.deepEqual([notBefore.isEarly(1, 9199), notBefore.isEarly(1, 9200)], [true, false]);
});

test('a reply that tells no wait takes back the one before', () => {
  const silent: readonly ToldWait[] = [
    { kind: 'absent' },
    { kind: 'past_date', waitMs: 0, source: 'retry-after' },
    { kind: 'invalid', reason: 'not a number', source: 'retry-after', text: 'soon' },
    { kind: 'clock_untrusted', source: 'retry-after' },
  ];
  for (const told of silent) {
    const notBefore = new NotBefore();
    notBefore.hear(1, seconds(60_000), 0);
    notBefore.hear(1, told, 10);
    assert.equal(notBefore.isEarly(1, 11), false, told.kind);
  }
});
