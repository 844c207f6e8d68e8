// Holds that headers are read once when replies share them, moments anew each time, and successes not at all.

import assert from 'node:assert/strict';
import test from 'node:test';
import type { Clock, Reply } from './ports.ts';
import { DEFAULT_TOLD_WAIT } from './retry-after/read-told-wait.ts';
import { ToldReader } from './told-reader.ts';

/** A calendar that is set by hand; nobody waits by it. */
class Calendar implements Clock {
  after(): () => void {
    return () => {};
  }

  nowDateMs: number | undefined = Date.UTC(2026, 9, 16, 2, 0, 0);
  asked = 0;
  nowMs(): number {
    return 0;
  }
  dateMs(): number | undefined {
    this.asked++;
    return this.nowDateMs;
  }
  sleep(): Promise<void> {
    throw new Error('nobody waits here');
  }
}

/** Headers that count how often their Retry-After is looked at. */
function countedHeaders(retryAfter: string | undefined) {
  const counted = { reads: 0 };
  const headers = Object.defineProperty({} as Record<string, string>, 'retry-after', {
    get: () => {
      counted.reads++;
      return retryAfter;
    },
  });
  return { headers, counted };
}

const replyOf = (status: number, headers: Reply['headers']): Reply => ({ status, headers, body: '' });
const readerOn = (calendar: Clock) => new ToldReader(DEFAULT_TOLD_WAIT, calendar);

test('headers that many replies share are read once: a length, nothing, and what can not be read', () => {
  for (const [text, kind] of [
    ['7', 'seconds'],
    [undefined, 'absent'],
    ['soon', 'invalid'],
  ] as const) {
    const { headers, counted } = countedHeaders(text);
    const reader = readerOn(new Calendar());
    const first = reader.read(replyOf(429, headers));
    assert.equal(first.kind, kind);
    const { reads } = counted;
    assert.ok(reads >= 1);
    for (const status of [429, 503, 500]) assert.equal(reader.read(replyOf(status, headers)), first);
    assert.equal(counted.reads, reads);
  }
});

test('other headers are read for themselves, equal ones too', () => {
  const reader = readerOn(new Calendar());
  const [one, two] = [countedHeaders('7'), countedHeaders('7')];
  assert.deepEqual(reader.read(replyOf(429, one.headers)), reader.read(replyOf(429, two.headers)));
  assert.ok(two.counted.reads >= 1);
  assert.deepEqual(reader.read(replyOf(429, { 'retry-after': '9' })), {
    kind: 'seconds',
    waitMs: 9000,
    source: 'retry-after',
  });
});

test('a moment is read anew: the wait shrinks as time goes on, until the moment is over', () => {
  const calendar = new Calendar();
  const reader = readerOn(calendar);
  const reply = replyOf(503, { 'retry-after': 'Fri, 16 Oct 2026 02:00:10 GMT' });
  const source = 'retry-after';
  assert.deepEqual(reader.read(reply), { kind: 'date', waitMs: 10_000, source });
  calendar.nowDateMs = Date.UTC(2026, 9, 16, 2, 0, 7);
  assert.deepEqual(reader.read(reply), { kind: 'date', waitMs: 3000, source });
  calendar.nowDateMs = Date.UTC(2026, 9, 16, 2, 0, 11);
  assert.deepEqual(reader.read(reply), { kind: 'past_date', waitMs: 0, source });
  calendar.nowDateMs = undefined;
  assert.deepEqual(reader.read(reply), { kind: 'clock_untrusted', source });
  calendar.nowDateMs = Date.UTC(2026, 9, 16, 2, 0, 9);
  assert.deepEqual(reader.read(reply), { kind: 'date', waitMs: 1000, source }, 'neither is distrust remembered');
});

test('a success tells nothing, its headers are not looked at, and nothing is remembered of them', () => {
  const { headers, counted } = countedHeaders('7');
  const reader = readerOn(new Calendar());
  for (const status of [200, 204, 304]) assert.deepEqual(reader.read(replyOf(status, headers)), { kind: 'absent' });
  assert.equal(counted.reads, 0);
  const told = { kind: 'seconds', waitMs: 7000, source: 'retry-after' };
  assert.deepEqual(reader.read(replyOf(400, headers)), told);
  assert.deepEqual(reader.read(replyOf(200, headers)), { kind: 'absent' });
});

test('no reply tells nothing', () => {
  const calendar = new Calendar();
  assert.deepEqual(readerOn(calendar).read(undefined), { kind: 'absent' });
  assert.equal(calendar.asked, 0);
});
