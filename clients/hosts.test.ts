// Holds which host an item goes to.

import assert from 'node:assert/strict';
import test from 'node:test';
import { hostOf } from './hosts.ts';

test('items are dealt out to the hosts by their number; without hosts all go to the platform', () => {
  for (const [hosts, dealt] of [
    [undefined, ['platform', 'platform', 'platform', 'platform']],
    [['a.example'], ['a.example', 'a.example', 'a.example', 'a.example']],
    [
      ['a.example', 'b.example'],
      ['b.example', 'a.example', 'b.example', 'a.example'],
    ],
    [
      ['a.example', 'b.example', 'a.example'],
      ['b.example', 'a.example', 'a.example', 'b.example'],
    ],
  ] as const) {
    assert.deepEqual(
      [1, 2, 3, 4].map((item) => hostOf(hosts, item)),
      dealt,
    );
  }
});
