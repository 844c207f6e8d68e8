// Holds that one value has one text, that two values have two, and that what JSON can not hold is refused where it is.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { canonicalJson } from './canonical-json.ts';

test('keys sorted at every depth, arrays in their order, scalars as JSON', () => {
  const table: [value: unknown, text: string][] = [
    [{ b: 1, a: 2 }, '{"a":2,"b":1}'],
    [{ b: { d: [3, { z: 1, y: 2 }, 1], c: null }, a: true }, '{"a":true,"b":{"c":null,"d":[3,{"y":2,"z":1},1]}}'],
    [[2, 1, [], {}], '[2,1,[],{}]'],
    [{ 10: 'ten', 9: 'nine', '': 'none' }, '{"":"none","10":"ten","9":"nine"}'],
    // By UTF-16 units, as RFC 8785 sorts: capitals first, and U+1F600 (D83D DE00) before U+FB33.
    [{ '\ufb33': 1, '\u{1f600}': 2, a: 3, B: 4 }, '{"B":4,"a":3,"\u{1f600}":2,"\ufb33":1}'],
    [{ a: undefined, b: 1 }, '{"b":1}'],
    [-0, '0'],
    [1e21, '1e+21'],
    [0.1, '0.1'],
    ['\u2028"\\\n\ud800', '"\u2028\\"\\\\\\n\\ud800"'],
    [null, 'null'],
    [Object.assign(Object.create(null), { a: 1 }), '{"a":1}'],
    [JSON.parse('{"__proto__": {"b": 1}, "a": 2}'), '{"__proto__":{"b":1},"a":2}'],
  ];
  for (const [value, text] of table) assert.equal(canonicalJson(value), text);
});

test('what JSON can not hold is refused with its path', () => {
  const cycle: Record<string, unknown> = { list: [1] };
  (cycle.list as unknown[]).push({ back: cycle });
  const table: [value: unknown, what: string, path: string][] = [
    [Number.NaN, 'NaN', '$'],
    [{ a: [1, { b: Number.POSITIVE_INFINITY }] }, 'Infinity', '$.a[1].b'],
    [{ a: -Infinity }, '-Infinity', '$.a'],
    [[() => 1], 'function', '$[0]'],
    [{ 'a b': { '"': 1n } }, 'bigint', '$["a b"]["\\""]'],
    [{ a: Symbol('s') }, 'symbol', '$.a'],
    [undefined, 'undefined', '$'],
    [[1, undefined], 'undefined', '$[1]'],
    [new Array(2), 'undefined', '$[0]'],
    [{ when: new Date(0) }, 'an object of a class', '$.when'],
    [{ map: new Map([[1, 2]]) }, 'an object of a class', '$.map'],
    [cycle, 'a cycle', '$.list[1].back'],
  ];
  for (const [value, what, path] of table) {
    assert.throws(() => canonicalJson(value), new TypeError(`JSON can not hold ${what}, at ${path}`));
  }
});

test('a value that comes twice, but not inside itself, is no cycle', () => {
  const shared = { a: 1 };
  assert.equal(canonicalJson([shared, { shared }, shared]), '[{"a":1},{"shared":{"a":1}},{"a":1}]');
});

test('a hundred levels are written, more are refused', () => {
  const nested = (levels: number): unknown => {
    let value: unknown = 1;
    for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
    return value;
  };
  assert.equal(canonicalJson(nested(100)), JSON.stringify(nested(100)));
  for (const levels of [101, 1_000_000])
    assert.throws(() => canonicalJson(nested(levels)), /^TypeError: JSON can not hold more than 100 levels, at \$/);
});

/** The same value with the keys of every object the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).reverse();
  return Object.fromEntries(entries.map(([key, member]) => [key, reversed(member)]));
}

test('any JSON value: it parses back to itself, and neither order of keys nor spaces change the text', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = canonicalJson(value);
      assert.deepEqual(JSON.parse(text), JSON.parse(JSON.stringify(value)));
      assert.equal(canonicalJson(reversed(value)), text);
      assert.equal(canonicalJson(JSON.parse(JSON.stringify(value, undefined, 3))), text);
    }),
    { numRuns: 1000 },
  );
});
