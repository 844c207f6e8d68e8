// Clients that give up, hedge, lose replies, upload megabytes or close every connection: the books of each balance, verify
// agrees, and the bytes are the same however often the night is run and however long stillness is waited for.

import assert from 'node:assert/strict';
import test from 'node:test';
import { discrepancies } from '../books/reconcile.ts';
import { FOREIGN_DEFAULTS } from './foreign-clock.ts';
import { runInWorker } from './in-worker.ts';
import { type NightAndFiles, nightAndFiles, scriptedStorm, specOf, testdata } from './testing.ts';

const LOST = { status: 200, lost: true };
const TROUBLE = scriptedStorm([{ status: 503 }, LOST, { status: 429, retry_after: '1' }]);
const CALM = scriptedStorm([]);

const { names } = (await import(testdata('odd-clients.mjs'))) as { readonly names: readonly string[] };

/** Cases in which the platform answers everything, so that nothing but the client ends an attempt. */
const GIVE_UP = /^(gives up|timeout|hedged)/;

for (const name of names) {
  test(`${name}: the books balance, and the night repeats byte for byte`, async () => {
    const scenario = GIVE_UP.test(name) ? CALM : TROUBLE;
    const spec = specOf(`odd-clients.mjs?${encodeURIComponent(name)}`, { scenario });
    const runs: NightAndFiles[] = [];
    for (const times of [1, 2])
      runs.push(await nightAndFiles({ ...spec, quietTurns: times * FOREIGN_DEFAULTS.quietTurns }));
    for (const { night, problems } of runs) {
      assert.deepEqual(discrepancies(night.night), []);
      assert.deepEqual([night.unmatched, problems], [0, []]);
      assert.equal(night.night.items.unfinished, 0);
      assert.ok(night.night.items.done > 0);
    }
    const [first, ...others] = runs;
    for (const other of others) assert.deepEqual(other.files, first?.files);
    // Nobody who watches, as in all nights of a series but the first.
    assert.equal(JSON.stringify(await runInWorker(spec)), JSON.stringify(first?.night));
  });
}
