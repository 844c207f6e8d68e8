// Holds the outage: 503 in its window and at no other time, of the class that says whether it was billed.

import assert from 'node:assert/strict';
import test from 'node:test';
import { outage } from './outage.ts';

const dateMs = (nowMs: number) => Date.UTC(2026, 9, 16, 2, 0, 0) + nowMs;
const at = (nowMs: number, billed = false) => ({ nowMs, key: 0, ordinal: 0, host: 'platform', billed, lost: false });
const WINDOW = { fromMs: 60_000, toMs: 120_000 };

test('lasts from the first millisecond of the window to the last, not longer', () => {
  const gate = outage({ ...WINDOW, retryAfter: { form: 'absent' } }, dateMs);
  const out = [0, 59_999, 59_999.9, 60_000, 90_000, 119_999.9, 120_000, 200_000].filter(
    (nowMs) => gate.examine(at(nowMs)) !== undefined,
  );
  assert.deepEqual(out, [60_000, 90_000, 119_999.9]);
  assert.equal(gate.name, 'outage');
});

test('behind the billing gate it is an error that was paid for, in front of it not', () => {
  const gate = outage({ ...WINDOW, retryAfter: { form: 'absent' } }, dateMs);
  const refusal = { status: 503, retryAfter: undefined };
  assert.deepEqual(gate.examine(at(60_000, true)), { verdictClass: 'error503', ...refusal });
  assert.deepEqual(gate.examine(at(60_000, false)), { verdictClass: 'unavailable', ...refusal });
});

test('states the time until its end', () => {
  const seconds = outage({ ...WINDOW, retryAfter: { form: 'seconds' } }, dateMs);
  const stated = [60_000, 60_001, 118_000, 119_000, 119_999].map((nowMs) => seconds.examine(at(nowMs))?.retryAfter);
  assert.deepEqual(stated, ['60', '60', '2', '1', '1']);
  const date = outage({ ...WINDOW, retryAfter: { form: 'http-date' } }, dateMs);
  for (const nowMs of [60_000, 75_000, 119_000]) {
    assert.equal(date.examine(at(nowMs))?.retryAfter, 'Fri, 16 Oct 2026 02:02:00 GMT');
  }
  const untrue = outage({ ...WINDOW, retryAfter: { form: 'seconds', valueS: 5 } }, dateMs);
  assert.equal(untrue.examine(at(60_000))?.retryAfter, '5');
});

test('of some hosts: theirs alone, and of all when none is named', () => {
  const hosts = ['a.example', 'b.example'];
  const struck = (names: readonly string[] | undefined) => {
    const gate = outage({ ...WINDOW, retryAfter: { form: 'absent' }, hosts: names }, dateMs);
    return ['a.example', 'b.example', 'c.example', 'platform'].filter(
      (host) => gate.examine({ ...at(60_000), host }) !== undefined,
    );
  };
  assert.deepEqual(struck(hosts), hosts);
  assert.deepEqual(struck(['platform']), ['platform']);
  assert.deepEqual(struck(undefined), ['a.example', 'b.example', 'c.example', 'platform']);
});

test('an empty window never strikes', () => {
  const gate = outage({ fromMs: 60_000, toMs: 60_000, retryAfter: { form: 'absent' } }, dateMs);
  for (const nowMs of [59_999, 60_000, 60_001]) assert.equal(gate.examine(at(nowMs)), undefined);
});
