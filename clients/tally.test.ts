// Holds that the client's book counts to the unit, by minute of sending, however late or long the night.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { REPLY_CLASSES, type ReplyClass } from './policy.ts';
import { type ClientMinuteRow, Tally } from './tally.ts';

const NONE = { ok: 0, limit429: 0, quota429: 0, error500: 0, error503: 0, other: 0, no_reply: 0, never_arrived: 0 };

test('an empty book', () => {
  const tally = new Tally();
  assert.deepEqual(tally.rows(), []);
  assert.deepEqual(tally.totals(), NONE);
  assert.equal(tally.attempts, 0);
});

test('a reply is booked in the minute in which its request was sent', () => {
  const tally = new Tally();
  for (const sentMs of [0, 59_999, 60_000]) tally.sent(sentMs);
  tally.received(59_999, 'ok');
  tally.received(60_000, 'quota429');
  tally.received(0, 'error500');
  assert.deepEqual(tally.rows(), [
    { minute: 0, attempts: 2, ...NONE, ok: 1, error500: 1 },
    { minute: 1, attempts: 1, ...NONE, quota429: 1 },
  ]);
});

test('a first request in a late minute leaves empty rows before it', () => {
  const tally = new Tally();
  tally.sent(1000 * 60_000);
  tally.received(1000 * 60_000, 'no_reply');
  const rows = tally.rows();
  assert.equal(rows.length, 1001);
  assert.deepEqual(rows[1000], { minute: 1000, attempts: 1, ...NONE, no_reply: 1 });
  for (const [minute, row] of rows.slice(0, 1000).entries()) assert.deepEqual(row, { minute, attempts: 0, ...NONE });
});

test('rows and totals equal a plain count, whatever comes when', () => {
  const attempt = fc.record({
    sentMs: fc.oneof(fc.nat({ max: 40 * 60_000 }), fc.nat({ max: 400 * 60_000 })),
    replyClass: fc.option(fc.constantFrom(...REPLY_CLASSES)),
  });
  fc.assert(
    fc.property(fc.array(attempt, { maxLength: 80, size: 'max' }), (attempts) => {
      const tally = new Tally();
      const model = new Map<number, Record<ReplyClass | 'attempts', number>>();
      const totals: Record<ReplyClass, number> = { ...NONE };
      for (const { sentMs, replyClass } of attempts) {
        const minute = Math.floor(sentMs / 60_000);
        const row = model.get(minute) ?? { attempts: 0, ...NONE };
        model.set(minute, row);
        row.attempts++;
        tally.sent(sentMs);
        if (replyClass === null) continue;
        row[replyClass]++;
        totals[replyClass]++;
        tally.received(sentMs, replyClass);
      }
      const minutes = Math.max(-1, ...model.keys()) + 1;
      const expected = Array.from({ length: minutes }, (_, minute): ClientMinuteRow => {
        return { minute, ...(model.get(minute) ?? { attempts: 0, ...NONE }) };
      });
      assert.deepEqual(tally.rows(), expected);
      assert.deepEqual(tally.totals(), totals);
      assert.equal(tally.attempts, attempts.length);
      for (const name of REPLY_CLASSES) assert.equal(tally.count(name), totals[name]);
    }),
    { numRuns: 150 },
  );
});

test('waits are counted by reason, with their planned length', () => {
  const tally = new Tally();
  tally.waited('backoff', 300);
  tally.waited('retry_after', 3000);
  tally.waited('backoff', 700);
  assert.deepEqual(Object.fromEntries(tally.waits), {
    backoff: { count: 2, plannedMs: 1000 },
    retry_after: { count: 1, plannedMs: 3000 },
  });
});
