// The queue against a sorted list: earliest first, ties first in first out.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { EventQueue } from './event-queue.ts';

test('pops by time, then by place, whatever the order of pushing and popping', () => {
  const step = fc.oneof(fc.record({ atMs: fc.nat(20) }), fc.constant('pop' as const));
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const queue = new EventQueue();
      const model: { atMs: number; seq: number }[] = [];
      const popped: number[] = [];
      let seq = 0;
      for (const each of steps) {
        if (each === 'pop') {
          model.sort((a, b) => a.atMs - b.atMs || a.seq - b.seq);
          const expected = model.shift();
          assert.equal(queue.nextMs, expected?.atMs ?? Number.POSITIVE_INFINITY);
          assert.equal(queue.runNext(), expected !== undefined);
          assert.equal(popped.pop(), expected?.seq);
        } else {
          model.push({ atMs: each.atMs, seq });
          queue.push(each.atMs, seq, (which) => popped.push(which as number), seq);
          seq++;
        }
        assert.equal(queue.size, model.length);
      }
    }),
  );
});
