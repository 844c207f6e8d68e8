// Latency histograms: what goes in comes out of both files, and what is no latency is refused.

import assert from 'node:assert/strict';
import test from 'node:test';
import { HistogramLogReader } from 'hdr-histogram-js';
import { LatencyHistograms } from './histograms.ts';

test('NaN, infinite and negative latencies are refused, since the library would count them silently', () => {
  const latency = new LatencyHistograms(0);
  for (const [sent, received] of [
    [0, Number.NaN],
    [Number.NaN, 1],
    [0, Number.POSITIVE_INFINITY],
    [5, 4],
  ] as const) {
    assert.throws(() => latency.add(sent, received), RangeError);
  }
  assert.match(latency.hgrm(), /Total count {4}= +0\]/);
});

test('every value is in both files, minute by minute of sending', () => {
  const latency = new LatencyHistograms(Date.UTC(2026, 9, 16));
  for (let i = 0; i < 600; i++) latency.add(i * 300, i * 300 + 100 + (i % 50));
  assert.match(latency.hgrm(), /Total count {4}= +600\]/);
  const log = latency.hlog();
  assert.match(log, /2026-10-16T00:00:00\.000Z/);
  const reader = new HistogramLogReader(log);
  const counts: number[] = [];
  for (let interval = reader.nextIntervalHistogram(); interval !== null; interval = reader.nextIntervalHistogram()) {
    counts.push(interval.totalCount);
    assert.ok(interval.maxValue <= 149 && interval.minNonZeroValue >= 100);
  }
  assert.deepEqual(counts, [200, 200, 200]);
});
