// Holds that a contestant's night is a function of its seed: three runs in threads of their own leave the same bytes, books that
// balance among them; the third with twice the turns of the event loop without a change before time goes on.

import assert from 'node:assert/strict';
import test from 'node:test';
import { discrepancies } from '../../bench/books/reconcile.ts';
import { FOREIGN_DEFAULTS } from '../../bench/foreign/foreign-clock.ts';
import { smallStorm } from '../../bench/testing.ts';
import { CONTESTANTS } from './catalogue.ts';
import { contestantNight } from './testing.ts';

/** An edge and a quota that 60 items meet. */
const STORM = smallStorm({
  'task.items': 60,
  'platform.gates.0.refill_per_s': 8,
  'platform.gates.0.burst': 12,
  'platform.gates.2.calls': 70,
});
/** Cuts who would go on for ever; the cut is to be the same as well. */
const LANES = { concurrency: 8, maxCalls: 150 } as const;

for (const name of Object.keys(CONTESTANTS)) {
  test(`${name}: three runs of a seed leave the same bytes`, async (t) => {
    const first = await contestantNight(t, name, STORM, LANES);
    const second = await contestantNight(t, name, STORM, LANES);
    const patient = await contestantNight(t, name, STORM, { ...LANES, quietTurns: 2 * FOREIGN_DEFAULTS.quietTurns });
    assert.ok(first.requests.length > 0);
    assert.deepEqual([discrepancies(first.night), first.unmatched], [[], 0]);
    assert.equal(second.bytes, first.bytes);
    assert.equal(patient.bytes, first.bytes);
  });
}
