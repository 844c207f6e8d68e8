// The ledger sees every single count: take one away, or add one, anywhere in either book, and it does not balance.

import assert from 'node:assert/strict';
import test from 'node:test';
import { type Night, runNight } from '../night.ts';
import { smallStorm } from '../testing.ts';
import { discrepancies, ledgerByClass, ledgerByMinute } from './reconcile.ts';

const night = await runNight({ scenario: smallStorm(), strategy: 'naive', seed: 1, clock: 'virtual' });

/** The night with one cell of one book changed. */
function changed(from: Night, book: 'platform' | 'client', minute: number, column: string, by: number): Night {
  const minutes = from[book].minutes.map((row) =>
    row.minute === minute ? { ...row, [column]: Number(row[column as keyof typeof row]) + by } : row,
  );
  return { ...from, [book]: { ...from[book], minutes } } as Night;
}

test('an untouched night balances', () => {
  assert.deepEqual(discrepancies(night), []);
  assert.ok(ledgerByMinute(night).length >= 10 * night.platform.minutes.length);
  assert.ok(ledgerByClass(night).every(({ difference }) => difference === 0));
});

for (const book of ['platform', 'client'] as const) {
  test(`one count more or less anywhere in the ${book}'s book is a discrepancy`, () => {
    let cells = 0;
    for (const row of night[book].minutes) {
      for (const column of Object.keys(row).filter((name) => name !== 'minute')) {
        for (const by of [-1, 1]) {
          cells++;
          const found = discrepancies(changed(night, book, row.minute, column, by));
          assert.ok(
            found.some(({ scope }) => scope === String(row.minute)),
            `${book} ${row.minute} ${column} ${by}`,
          );
        }
      }
    }
    assert.ok(cells > 30);
  });
}

test('a request that never arrived balances the attempts, and is a discrepancy, since no fault explains it', () => {
  const refused = changed(changed(night, 'client', 1, 'never_arrived', 1), 'client', 1, 'attempts', 1);
  assert.deepEqual(
    discrepancies(refused).map(({ scope, identity, difference }) => [scope, identity, difference]),
    ['night', '1'].map((scope) => [scope, 'client never_arrived = connections that a fault refused', 1]),
  );
});

test('a count moved to another minute is a discrepancy in both', () => {
  const moved = changed(changed(night, 'client', 0, 'ok', -1), 'client', 1, 'ok', 1);
  const scopes = new Set(discrepancies(moved).map(({ scope }) => scope));
  assert.deepEqual([...scopes].sort(), ['0', '1']);
});

test('an item that is neither done, abandoned nor unfinished is a discrepancy', () => {
  const items = { ...night.items, done: night.items.done - 1 };
  assert.equal(discrepancies({ ...night, items }).length, 1);
});

test('a minute that only one book has is compared with nothing', () => {
  const minutes = night.client.minutes.slice(0, -1);
  assert.ok(discrepancies({ ...night, client: { ...night.client, minutes } }).length > 0);
});
