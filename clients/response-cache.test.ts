// Holds which requests are the same (case A24), that the first success answers, and that the cache stays as small as set.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { ResponseCache, requestKey } from './response-cache.ts';

test('the key is the SHA-256 of the canonical JSON', () => {
  // printf '{"max_tokens":50,"prompt":"summarize this log"}' | sha256sum
  assert.equal(
    requestKey({ prompt: 'summarize this log', max_tokens: 50 }),
    'd689291a60928656349643b8112fb3e7df8e8559d5782a5458c5d6e4e9408eae',
  );
});

test('A24: reordered or spaced JSON is the same request, another body or path is another one', () => {
  const request = (path: string, body: string) => ({ method: 'POST', path, body: JSON.parse(body) as unknown });
  const cache = new ResponseCache<{ id: number }>(10);
  cache.put(request('/reports', '{"a":1,"b":{"c":2,"d":3}}'), { id: 1 });
  for (const [path, body, expected] of [
    ['/reports', '{"a":1,"b":{"c":2,"d":3}}', 1],
    ['/reports', '{ "b": { "d": 3,\n "c": 2 }, "a": 1.0 }', 1],
    ['/reports', '{"a":2,"b":{"c":2,"d":3}}', undefined],
    ['/reports', '{"a":"1","b":{"c":2,"d":3}}', undefined],
    ['/reports', '{"a":1}', undefined],
    ['/orders', '{"a":1,"b":{"c":2,"d":3}}', undefined],
  ] as const) {
    assert.equal(cache.get(request(path, body))?.id, expected, `${path} ${body}`);
  }
  assert.deepEqual([cache.size, cache.hits, cache.misses], [1, 2, 4]);
});

test('A24: {a:1} gives id 1, again and in another order too; {a:2} and another path give nothing; one record', () => {
  const cache = new ResponseCache<{ id: number }>(10);
  const request = (path: string, body: string) => ({ path, body: JSON.parse(body) as unknown });
  cache.put(request('/reports', '{"a":1}'), { id: 1 });
  for (const [path, body, id] of [
    ['/reports', '{"a":1}', 1],
    ['/reports', '{ "a": 1 }', 1],
    ['/reports', '{"a":2}', undefined],
    ['/orders', '{"a":1}', undefined],
  ] as const) {
    assert.equal(cache.get(request(path, body))?.id, id, `${path} ${body}`);
  }
  assert.equal(cache.size, 1);
});

test('seed 003: what was put is got; a later completion of the same request changes nothing', () => {
  const cache = new ResponseCache<{ text: string }>(10);
  const request = { prompt: 'summarize this log', max_tokens: 50 };
  assert.equal(cache.get(request), undefined);
  cache.put(request, { text: 'first completion' });
  cache.put({ max_tokens: 50, prompt: 'summarize this log' }, { text: 'second completion' });
  assert.deepEqual(cache.get(request), { text: 'first completion' });
  assert.deepEqual([cache.size, cache.hits, cache.misses], [1, 1, 1]);
});

test('the oldest leaves first, whether it was read or put again or not; gone, it may be put anew', () => {
  const cache = new ResponseCache<string>(2);
  cache.put(1, 'one');
  cache.put(2, 'two');
  cache.get(1);
  cache.put(1, 'one again');
  cache.put(3, 'three');
  assert.deepEqual(
    [1, 2, 3].map((request) => cache.get(request)),
    [undefined, 'two', 'three'],
  );
  cache.put(1, 'one anew');
  assert.deepEqual(
    [1, 2, 3].map((request) => cache.get(request)),
    ['one anew', undefined, 'three'],
  );
  assert.deepEqual([cache.hits, cache.misses], [5, 2]);
});

test('a response that is undefined is a hit all the same', () => {
  const cache = new ResponseCache<undefined>(1);
  cache.put(1, undefined);
  cache.get(1);
  assert.deepEqual([cache.hits, cache.misses], [1, 0]);
});

test('a request that JSON can not hold is refused and stored nowhere; so is a cache of no size', () => {
  const cache = new ResponseCache<number>(1);
  for (const use of [() => cache.get({ n: Number.NaN }), () => cache.put({ n: Number.NaN }, 1)])
    assert.throws(use, /^TypeError: JSON can not hold NaN, at \$\.n$/);
  assert.deepEqual([cache.size, cache.hits, cache.misses], [0, 0, 0]);
  for (const maxEntries of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
    assert.throws(() => new ResponseCache(maxEntries), RangeError);
});

test('any order of calls: as a list of the last ones, never above its bound', () => {
  const call = fc.record({ put: fc.boolean(), request: fc.nat({ max: 9 }) });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.array(call, { maxLength: 60 }), (maxEntries, calls) => {
      const cache = new ResponseCache<number>(maxEntries);
      let list: (readonly [request: number, response: number])[] = [];
      for (const [index, { put, request }] of calls.entries()) {
        const known = list.find(([each]) => each === request);
        if (!put) assert.equal(cache.get({ request }), known?.[1]);
        else {
          cache.put({ request }, index);
          if (known === undefined) list = [...list, [request, index] as const].slice(-maxEntries);
        }
        assert.equal(cache.size, list.length);
      }
      assert.equal(cache.hits + cache.misses, calls.filter(({ put }) => !put).length);
    }),
    { numRuns: 500 },
  );
});
