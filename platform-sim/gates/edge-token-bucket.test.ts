// Holds the edge: the burst passes, then the refill; a refusal costs nothing and states a wait that is enough.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { edgeTokenBucket } from './edge-token-bucket.ts';

fc.configureGlobal({ seed: 20261016 });

const EPOCH_MS = Date.UTC(2026, 9, 16, 2, 0, 0);
const dateMs = (nowMs: number) => EPOCH_MS + nowMs;
const at = (nowMs: number) => ({ nowMs, key: 0, ordinal: 0, host: 'platform', billed: false, lost: false });

test('passes the burst and refuses the next with 429', () => {
  const gate = edgeTokenBucket({ refillPerS: 30, burst: 60, retryAfter: { form: 'seconds' } }, dateMs);
  assert.equal(gate.name, 'edge_token_bucket');
  for (let i = 0; i < 60; i++) assert.equal(gate.examine(at(0)), undefined);
  const refusal = { verdictClass: 'edge', status: 429, limitKind: 'edge', retryAfter: '1' };
  assert.deepEqual(gate.examine(at(0)), refusal);
  assert.deepEqual(gate.examine(at(33)), refusal, 'a refusal takes no part of a token');
  assert.equal(gate.examine(at(34)), undefined);
});

test('lets pass just the refill once the burst is gone: 1,800 a minute', () => {
  const gate = edgeTokenBucket({ refillPerS: 30, burst: 60, retryAfter: { form: 'absent' } }, dateMs);
  const passed = [0, 0, 0];
  for (let nowMs = 0; nowMs < 180_000; nowMs += 10) {
    const minute = Math.floor(nowMs / 60_000);
    if (gate.examine(at(nowMs)) === undefined) passed[minute] = (passed[minute] ?? 0) + 1;
  }
  assert.deepEqual(passed, [1859, 1800, 1800]);
});

test('the stated wait follows the bucket, and its HTTP date the calendar', () => {
  const settings = { refillPerS: 0.5, burst: 1 };
  const seconds = edgeTokenBucket({ ...settings, retryAfter: { form: 'seconds' } }, dateMs);
  assert.equal(seconds.examine(at(0)), undefined);
  const stated = [0, 500, 1000, 1001, 1999].map((nowMs) => seconds.examine(at(nowMs))?.retryAfter);
  assert.deepEqual(stated, ['2', '2', '1', '1', '1']);
  const date = edgeTokenBucket({ ...settings, retryAfter: { form: 'http-date' } }, dateMs);
  assert.equal(date.examine(at(60_000)), undefined);
  assert.equal(date.examine(at(60_000))?.retryAfter, 'Fri, 16 Oct 2026 02:01:02 GMT');
});

test('a bucket that is never refilled states no wait', () => {
  const gate = edgeTokenBucket({ refillPerS: 0, burst: 1, retryAfter: { form: 'seconds' } }, dateMs);
  assert.equal(gate.examine(at(0)), undefined);
  assert.equal(gate.examine(at(3_600_000))?.retryAfter, undefined);
});

test('who waits as long as was stated is not refused again', () => {
  const rate = fc.integer({ min: 1, max: 100 }).map((tenths) => tenths / 10);
  fc.assert(
    fc.property(
      rate,
      fc.integer({ min: 1, max: 20 }),
      fc.integer({ min: 0, max: 5000 }),
      (refillPerS, burst, nowMs) => {
        const gate = edgeTokenBucket({ refillPerS, burst, retryAfter: { form: 'seconds' } }, dateMs);
        let refusal = gate.examine(at(nowMs));
        while (refusal === undefined) refusal = gate.examine(at(nowMs));
        assert.equal(gate.examine(at(nowMs + Number(refusal.retryAfter) * 1000)), undefined);
      },
    ),
  );
});
