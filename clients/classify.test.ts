// Holds what each status means, and that only the header tells a quota from a rate.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { classify, namesNoLimit } from './classify.ts';

test('status and limit-kind header to class', () => {
  for (const [status, kind, expected] of [
    [200, undefined, 'ok'],
    [201, undefined, 'ok'],
    [204, undefined, 'ok'],
    [299, undefined, 'ok'],
    [199, undefined, 'other'],
    [300, undefined, 'other'],
    [429, 'edge', 'limit429'],
    [429, 'soft', 'limit429'],
    [429, 'quota', 'quota429'],
    [429, undefined, 'limit429'],
    [429, 'QUOTA', 'limit429'],
    [500, undefined, 'error500'],
    [503, undefined, 'error503'],
    [200, 'quota', 'ok'],
    [500, 'quota', 'error500'],
  ] as const) {
    const headers: Record<string, string> = kind === undefined ? {} : { 'x-limit-kind': kind };
    assert.equal(classify({ status, headers, body: '' }), expected, `${status} ${kind}`);
  }
});

test('the body and the Retry-After of a rate rejection do not make it a quota', () => {
  const reply = { status: 429, headers: { 'retry-after': '3600' }, body: '{"error":{"scope":"quota"}}' };
  assert.equal(classify(reply), 'limit429');
});

test('every other status is other', () => {
  const known = new Set([429, 500, 503]);
  fc.assert(
    fc.property(fc.integer({ min: 100, max: 599 }), (status) => {
      fc.pre(!known.has(status) && (status < 200 || status > 299));
      assert.equal(classify({ status, headers: { 'x-limit-kind': 'quota' }, body: '' }), 'other');
    }),
  );
});

test('only a 429 can fail to name its limit', () => {
  for (const [status, kind, expected] of [
    [429, undefined, true],
    [429, 'edge', false],
    [429, 'other', false],
    [503, undefined, false],
    [200, undefined, false],
  ] as const) {
    const headers: Record<string, string> = kind === undefined ? {} : { 'x-limit-kind': kind };
    assert.equal(namesNoLimit({ status, headers, body: '' }), expected, `${status} ${kind}`);
  }
});
