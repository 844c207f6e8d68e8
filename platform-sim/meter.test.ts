// Holds the platform's book: minutes and their gaps, the columns that are counted apart, the replies that nobody heard, and
// when the quota was gone.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { Meter } from './meter.ts';
import { type LimitKind, VERDICT_CLASSES, type Verdict, type VerdictClass } from './types.ts';

fc.configureGlobal({ seed: 20261016 });

const BILLED: readonly VerdictClass[] = ['ok', 'error500', 'error503', 'other'];
const LIMITS: readonly VerdictClass[] = ['edge', 'soft', 'quota'];

function verdict(verdictClass: VerdictClass, billed = BILLED.includes(verdictClass)): Verdict {
  const limitKind = LIMITS.includes(verdictClass) ? (verdictClass as LimitKind) : undefined;
  return { verdictClass, status: 0, billed, latencyMs: 0, lost: false, limitKind, retryAfter: undefined };
}

const NO_VERDICTS = { ok: 0, error500: 0, error503: 0, edge: 0, soft: 0, quota: 0, unavailable: 0, other: 0 };
const ALL_HEARD = {
  unheard_ok: 0,
  unheard_error500: 0,
  unheard_error503: 0,
  unheard_edge: 0,
  unheard_soft: 0,
  unheard_quota: 0,
  unheard_unavailable: 0,
  unheard_other: 0,
};
const NOTHING = { total: 0, billed: 0, ...NO_VERDICTS, ...ALL_HEARD };

test('an unused meter has no rows and no moment', () => {
  const meter = new Meter();
  assert.deepEqual(meter.rows(), []);
  assert.equal(meter.quotaGoneMs, undefined);
});

test('each class has its column', () => {
  const meter = new Meter();
  VERDICT_CLASSES.forEach((verdictClass, i) => {
    for (let n = 0; n <= i; n++) meter.count(0, verdict(verdictClass));
  });
  const columns = { ok: 1, error500: 2, error503: 3, edge: 4, soft: 5, quota: 6, unavailable: 7, other: 8 };
  assert.deepEqual(meter.rows(), [{ minute: 0, total: 36, billed: 14, ...columns, ...ALL_HEARD }]);
});

test('a minute ends before its sixty thousandth millisecond', () => {
  const meter = new Meter();
  for (const nowMs of [0, 59_999, 60_000, 119_999.5, 120_000]) meter.count(nowMs, verdict('ok'));
  assert.deepEqual(
    meter.rows().map(({ minute, ok }) => [minute, ok]),
    [
      [0, 2],
      [1, 2],
      [2, 1],
    ],
  );
});

test('minutes without a request have a row of zeros, a long gap included', () => {
  const meter = new Meter();
  meter.count(3 * 60_000, verdict('edge'));
  meter.count(600 * 60_000, verdict('ok'));
  const rows = meter.rows();
  assert.equal(rows.length, 601);
  rows.forEach((row, minute) => {
    if (minute === 3) assert.deepEqual(row, { minute, ...NOTHING, total: 1, edge: 1 });
    else if (minute === 600) assert.deepEqual(row, { minute, ...NOTHING, total: 1, billed: 1, ok: 1 });
    else assert.deepEqual(row, { minute, ...NOTHING });
  });
});

test('growing keeps what was counted, minute by minute', () => {
  const meter = new Meter();
  for (let minute = 0; minute < 200; minute++) meter.count(minute * 60_000, verdict('soft'));
  assert.deepEqual(
    meter.rows(),
    Array.from({ length: 200 }, (_, minute) => ({ minute, ...NOTHING, total: 1, soft: 1 })),
  );
});

test('total and billed are counted apart from the classes, so that a wrong one shows', () => {
  const meter = new Meter();
  meter.count(0, verdict('ok', false));
  meter.count(0, verdict('edge', true));
  assert.deepEqual(meter.rows(), [{ minute: 0, ...NOTHING, total: 2, billed: 1, ok: 1, edge: 1 }]);
});

test('each class has its column of replies that nobody heard, beside those that were given', () => {
  const meter = new Meter();
  VERDICT_CLASSES.forEach((verdictClass, i) => {
    for (let n = 0; n <= i; n++) meter.count(0, verdict(verdictClass));
    for (let n = 0; n < i; n++) meter.countUnheard(0, verdict(verdictClass));
  });
  const given = { ok: 1, error500: 2, error503: 3, edge: 4, soft: 5, quota: 6, unavailable: 7, other: 8 };
  const unheard = Object.fromEntries(VERDICT_CLASSES.map((name, i) => [`unheard_${name}`, i]));
  assert.deepEqual(meter.rows(), [{ minute: 0, total: 36, billed: 14, ...given, ...unheard }]);
});

test('a reply that nobody heard is counted in the minute of its request, however late that is known', () => {
  const meter = new Meter();
  meter.count(59_999, verdict('ok'));
  meter.count(60_000, verdict('error500'));
  meter.count(400 * 60_000, verdict('edge'));
  meter.countUnheard(59_999, verdict('ok'));
  meter.countUnheard(60_000, verdict('error500'));
  const rows = meter.rows();
  assert.equal(rows.length, 401);
  assert.deepEqual(rows[0], { minute: 0, ...NOTHING, total: 1, billed: 1, ok: 1, unheard_ok: 1 });
  assert.deepEqual(rows[1], { minute: 1, ...NOTHING, total: 1, billed: 1, error500: 1, unheard_error500: 1 });
  assert.deepEqual(rows[400], { minute: 400, ...NOTHING, total: 1, edge: 1 });
});

test('an unheard reply survives growing, and says nothing about the quota', () => {
  const meter = new Meter();
  meter.count(0, verdict('quota'));
  const goneMs = meter.quotaGoneMs;
  meter.countUnheard(0, verdict('quota'));
  for (let minute = 1; minute < 200; minute++) meter.count(minute * 60_000, verdict('ok'));
  assert.deepEqual(meter.rows()[0], { minute: 0, ...NOTHING, total: 1, quota: 1, unheard_quota: 1 });
  assert.equal(meter.quotaGoneMs, goneMs);
});

test('the quota was gone when the last call was billed, told by the first rejection', () => {
  const meter = new Meter();
  meter.count(100, verdict('ok'));
  meter.count(250, verdict('error500'));
  meter.count(300, verdict('edge'));
  meter.count(350, verdict('soft'));
  assert.equal(meter.quotaGoneMs, undefined, 'a rate rejection says nothing about the quota');
  meter.count(400, verdict('quota'));
  assert.equal(meter.quotaGoneMs, 250);
  meter.count(500, verdict('quota'));
  assert.equal(meter.quotaGoneMs, 250, 'said once');
});

test('a quota of nothing is gone at the first rejection', () => {
  const meter = new Meter();
  meter.count(700, verdict('edge'));
  meter.count(800, verdict('quota'));
  meter.count(900, verdict('quota'));
  assert.equal(meter.quotaGoneMs, 800);
});

test('every count is in one row and one class, in any order of time', () => {
  const event = fc.tuple(fc.integer({ min: 0, max: 5_000_000 }), fc.constantFrom(...VERDICT_CLASSES));
  fc.assert(
    fc.property(fc.array(event), (events) => {
      const meter = new Meter();
      for (const [nowMs, verdictClass] of events) meter.count(nowMs, verdict(verdictClass));
      const rows = meter.rows();
      rows.forEach((row, minute) => {
        const here = events.filter(([nowMs]) => Math.floor(nowMs / 60_000) === minute);
        assert.equal(row.minute, minute);
        assert.equal(row.total, here.length);
        assert.equal(row.billed, here.filter(([, verdictClass]) => BILLED.includes(verdictClass)).length);
        for (const name of VERDICT_CLASSES) {
          assert.equal(row[name], here.filter(([, verdictClass]) => verdictClass === name).length);
        }
      });
      assert.equal(
        rows.reduce((sum, row) => sum + row.total, 0),
        events.length,
      );
    }),
  );
});
