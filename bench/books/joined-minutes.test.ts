// Where the two books of a night on real time meet: each table names what crossed, and nothing but what crossed is explained.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { REPLY_CLASSES, type ReplyClass } from '../../clients/policy.ts';
import { Tally } from '../../clients/tally.ts';
import { Meter } from '../../platform-sim/meter.ts';
import type { Verdict, VerdictClass } from '../../platform-sim/types.ts';
import { JoinedMinutes, joinedRow } from './joined-minutes.ts';
import { discrepancies, type TwoBooks } from './reconcile.ts';
import { SEEN_AS } from './request-join.ts';

interface Played {
  readonly sentMs: number;
  readonly underWayMs: number;
  readonly verdict: VerdictClass;
  /** What became of it. */
  readonly end: 'matched' | 'unheard' | 'crossed' | 'withdrawn';
}

const NO_ITEMS = { total: 0, done: 0, abandoned: 0, unfinished: 0 };
const NO_OPERATIONS = { begun: 0, success: 0, failure: 0, unknown: 0, not_sent: 0 };

/** Both sides count by themselves, each at its own moment; the join sees the records of both. */
function books(requests: readonly Played[]): TwoBooks {
  const tally = new Tally();
  const meter = new Meter();
  const joined = new JoinedMinutes();
  for (const { sentMs, underWayMs, verdict: verdictClass, end } of requests) {
    const replyClass: ReplyClass = end === 'matched' ? SEEN_AS[verdictClass] : 'no_reply';
    tally.sent(sentMs);
    tally.received(sentMs, replyClass);
    const arrivedMs = end === 'withdrawn' ? undefined : sentMs + underWayMs;
    if (arrivedMs !== undefined) {
      const billed = ['ok', 'error500', 'error503', 'other'].includes(verdictClass);
      const verdict: Verdict = {
        ...{ verdictClass, billed, status: 200, latencyMs: 5, lost: false },
        ...{ limitKind: undefined, retryAfter: undefined },
      };
      meter.count(arrivedMs, verdict);
      if (end === 'unheard') meter.countUnheard(arrivedMs, verdict);
    }
    joined.add({ sentMs, arrivedMs, replyClass, verdict: verdictClass, match: end });
  }
  return {
    platform: { minutes: meter.rows() },
    client: { minutes: tally.rows() },
    joined: { minutes: joined.rows },
    items: NO_ITEMS,
    operations: NO_OPERATIONS,
  };
}

const LATE: Played = { sentMs: 59_999, underWayMs: 2, verdict: 'ok', end: 'matched' };

test('a request sent at 59.999 s that arrives at 60.001 s balances in both minutes, and not without the join', () => {
  const { joined, ...alone } = books([LATE]);
  assert.deepEqual(discrepancies({ ...alone, joined: joined ?? { minutes: [] } }), []);
  assert.deepEqual(
    joined?.minutes.map(joinedRow).map((row) => [row.minute, row.carried_in, row.carried_out]),
    [
      [0, 0, 1],
      [1, 1, 0],
    ],
  );
  assert.deepEqual(
    [...new Set(discrepancies(alone).map(({ scope }) => scope))],
    ['0', '1'],
    'the night as a whole balances either way',
  );
});

const played = fc.record({
  sentMs: fc.nat(400_000),
  underWayMs: fc.oneof(fc.constant(0), fc.nat(20), fc.nat(130_000)),
  verdict: fc.constantFrom(...(Object.keys(SEEN_AS) as VerdictClass[])),
  end: fc.constantFrom('matched' as const, 'unheard' as const, 'crossed' as const, 'withdrawn' as const),
});

test('whatever crosses, every identity of the night and of every minute holds', () => {
  fc.assert(
    fc.property(fc.array(played, { maxLength: 60 }), (requests) => {
      assert.deepEqual(discrepancies(books(requests)), []);
    }),
    { seed: 20261016 },
  );
});

test('a count that either book has wrong is found all the same', () => {
  fc.assert(
    fc.property(fc.array(played, { minLength: 1, maxLength: 20 }), fc.nat(), fc.boolean(), (requests, at, client) => {
      const whole = books(requests);
      const minutes = client ? whole.client.minutes : whole.platform.minutes;
      fc.pre(minutes.length > 0);
      const minute = at % minutes.length;
      const column = client ? (REPLY_CLASSES[at % REPLY_CLASSES.length] ?? 'ok') : 'total';
      const changed = minutes.map((row, i) =>
        i === minute ? { ...row, [column]: (row as Readonly<Record<string, number>>)[column] as number } : row,
      ) as Record<string, number>[];
      const row = changed[minute];
      if (row !== undefined) row[column] = (row[column] ?? 0) + 1;
      const forged = { ...whole, [client ? 'client' : 'platform']: { minutes: changed } } as TwoBooks;
      assert.ok(discrepancies(forged).some(({ scope }) => scope === 'night'));
      assert.ok(discrepancies(forged).some(({ scope }) => scope === String(minute)));
    }),
    { seed: 20261016 },
  );
});
