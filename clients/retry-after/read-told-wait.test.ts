// Holds which header counts: the first of the sources that is there, even when it can not be read.

import assert from 'node:assert/strict';
import test from 'node:test';
import { DEFAULT_TOLD_WAIT, readToldWait, type ToldWaitSettings } from './read-told-wait.ts';
import { readTestdata } from './testing.ts';
import type { ToldWait } from './told-wait.ts';

const NOW_MS = Date.UTC(2026, 9, 21, 7, 27, 0);
const IN_A_MINUTE = 'Wed, 21 Oct 2026 07:28:00 GMT';

const read = (headers: Readonly<Record<string, string>>, changes: Partial<ToldWaitSettings> = {}) =>
  readToldWait(headers, NOW_MS, { ...DEFAULT_TOLD_WAIT, ...changes });

test('nothing told is absent; headers that are no source are not looked at', () => {
  assert.deepEqual(read({}), { kind: 'absent' });
  assert.deepEqual(read({ 'content-type': 'text/plain', 'x-ratelimit-reset': '30' }), { kind: 'absent' });
  assert.deepEqual(read({ 'retry-after': '5' }, { sources: [] }), { kind: 'absent' });
});

test('milliseconds count before a date, 0 included, and the date is not consulted (A7a)', () => {
  const told: ToldWait = { kind: 'seconds', waitMs: 0, source: 'retry-after-ms' };
  assert.deepEqual(read({ 'retry-after-ms': '0', 'retry-after': IN_A_MINUTE }), told);
  assert.deepEqual(
    readToldWait({ 'retry-after-ms': '0', 'retry-after': IN_A_MINUTE }, undefined, DEFAULT_TOLD_WAIT),
    told,
  );
});

test('Retry-After counts seconds (A7b)', () => {
  assert.deepEqual(read({ 'retry-after': '2' }), { kind: 'seconds', waitMs: 2000, source: 'retry-after' });
  assert.deepEqual(read({ 'retry-after-ms': '2' }), { kind: 'seconds', waitMs: 2, source: 'retry-after-ms' });
});

test('a first source that can not be read is not passed over', () => {
  for (const [text, reason] of [
    ['soon', 'not a number'],
    ['1500.5', 'fraction'],
    ['-1', 'negative number'],
    ['', 'empty'],
    ['315360000001', 'longer than ten years'],
  ]) {
    const headers = { 'retry-after-ms': text ?? '', 'retry-after': '2' };
    assert.deepEqual(read(headers), { kind: 'invalid', reason, source: 'retry-after-ms', text }, text);
  }
});

test('the order of the sources is the order of precedence', () => {
  const headers = { 'retry-after': '2', ratelimit: '"default";r=0;t=50', 'x-ratelimit-reset': '30' };
  const sources = ['retry-after', 'ratelimit', 'x-ratelimit-reset'] as const;
  const waits = { 'retry-after': 2000, ratelimit: 50_000, 'x-ratelimit-reset': 30_000 };
  for (const first of sources) {
    const order = [first, ...sources.filter((source) => source !== first)];
    assert.deepEqual(read(headers, { sources: order }), { kind: 'seconds', waitMs: waits[first], source: first });
  }
});

test('a RateLimit in which nothing is exhausted tells no wait: the next source is asked', () => {
  const headers = { ratelimit: '"default";r=7;t=50', 'retry-after': '2' };
  const told = { kind: 'seconds', waitMs: 2000, source: 'retry-after' };
  assert.deepEqual(read(headers, { sources: ['ratelimit', 'retry-after'] }), told);
  assert.deepEqual(read(headers, { sources: ['ratelimit'] }), { kind: 'absent' });
});

test('the settings reach the parsers', () => {
  const sources = ['retry-after', 'x-ratelimit-reset'] as const;
  assert.deepEqual(read({ 'retry-after': '299.997' }, { fractions: 'ceil' }), {
    kind: 'seconds',
    waitMs: 300_000,
    source: 'retry-after',
  });
  assert.equal(read({ 'retry-after': '299.997' }).kind, 'invalid');
  assert.equal(read({ 'retry-after': '2, 3' }).kind, 'invalid');
  assert.equal(read({ 'retry-after': '2, 3' }, { doubled: 'first' }).kind, 'seconds');
  const reset = { 'x-ratelimit-reset': String(NOW_MS / 1000 + 7) };
  assert.equal(read(reset, { sources }).kind, 'invalid');
  assert.deepEqual(read(reset, { sources, resetUnit: 'epoch_seconds' }), {
    kind: 'date',
    waitMs: 7000,
    source: 'x-ratelimit-reset',
  });
});

test('the example of RFC 6585 is an hour', () => {
  const { example } = readTestdata('http-specs/rfc6585_429.json') as { example: Record<string, unknown> };
  const told = read({ 'retry-after': String(example['Retry-After']), 'content-type': String(example['Content-Type']) });
  assert.deepEqual([example.status, told], [429, { kind: 'seconds', waitMs: 3_600_000, source: 'retry-after' }]);
});

interface SmithyCases {
  readonly now_epoch_ms: number;
  readonly cases: readonly {
    readonly 'retry-after'?: string;
    readonly 'x-amz-retry-after'?: string;
    readonly expected_delay_ms: number | null;
  }[];
}

test('the cases of smithy-typescript', () => {
  const { now_epoch_ms: nowMs, cases } = readTestdata('aws-retry/retry_after_header_smithy_ts.json') as SmithyCases;
  const settings: ToldWaitSettings = {
    ...DEFAULT_TOLD_WAIT,
    sources: ['retry-after', 'x-amz-retry-after'],
    doubled: 'last',
  };
  assert.equal(cases.length, 7);
  const in30s = new Date(nowMs + 30_000).toUTCString();
  for (const { expected_delay_ms, ...given } of cases) {
    const headers: Record<string, string> = {};
    for (const name of settings.sources) {
      const text = given[name as keyof typeof given];
      if (text !== undefined) headers[name] = text.replace('<IMF date of now+30s>', in30s);
    }
    const told = readToldWait(headers, nowMs, settings);
    assert.equal('waitMs' in told ? told.waitMs : null, expected_delay_ms, JSON.stringify(headers));
    if (expected_delay_ms === null) assert.equal(told.kind, 'invalid');
  }
});
