// Holds that the library which reads our structured fields reads what the HTTP working group's own cases say, so that
// an update of it which reads otherwise is noticed.

import assert from 'node:assert/strict';
import test from 'node:test';
import {
  type BareItem,
  type InnerList,
  type Item,
  isInnerList,
  type Parameters,
  parseDictionary,
  parseItem,
  parseList,
  Token,
} from 'structured-headers';
import { readTestdata } from './testing.ts';

interface Case {
  readonly name: string;
  readonly raw: readonly string[];
  readonly header_type: 'item' | 'dictionary';
  readonly expected?: unknown;
  readonly must_fail?: boolean;
  readonly can_fail?: boolean;
}

/** Bytes are base32 in the cases (RFC 4648, 6). */
function base32(bytes: Uint8Array): string {
  const bits = Array.from(bytes, (byte) => byte.toString(2).padStart(8, '0')).join('');
  const letters = (bits.match(/.{1,5}/g) ?? []).map(
    (five) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[Number.parseInt(five.padEnd(5, '0'), 2)],
  );
  return letters.join('').padEnd(Math.ceil(letters.length / 8) * 8, '=');
}

function bare(value: BareItem): unknown {
  if (value instanceof ArrayBuffer) return { __type: 'binary', value: base32(new Uint8Array(value)) };
  if (value instanceof Token) return { __type: 'token', value: String(value) };
  if (value instanceof Date) return { __type: 'date', value: value.getTime() / 1000 };
  return value;
}

const parameters = (given: Parameters) => [...given].map(([key, value]) => [key, bare(value)]);
const item = ([value, given]: Item) => [bare(value), parameters(given)];
const member = (given: Item | InnerList) =>
  isInnerList(given) ? [given[0].map(item), parameters(given[1])] : item(given);

function parse({ header_type, raw }: Case): unknown {
  const text = raw.join(', ');
  if (header_type === 'item') return item(parseItem(text));
  return [...parseDictionary(text)].map(([key, value]) => [key, member(value)]);
}

/** What a case that may fail is read as, if it is read at all. */
function attempt(one: Case): unknown {
  try {
    return parse(one);
  } catch (error) {
    if (one.can_fail) return one.expected;
    throw error;
  }
}

const read = (file: string) => readTestdata(`structured-field-tests/${file}.json`) as readonly Case[];

for (const [file, count] of [
  ['dictionary', 26],
  ['item', 5],
  ['string', 14],
] as const) {
  test(`${file}: ${count} cases`, () => {
    const cases = read(file);
    assert.equal(cases.length, count);
    for (const one of cases) {
      if (one.must_fail) assert.throws(() => parse(one), one.name);
      else assert.deepEqual(attempt(one), one.expected, one.name);
    }
  });
}

test('as RateLimit is read: an item alone is a list of one', () => {
  for (const one of [...read('item'), ...read('string')].filter(({ expected }) => expected !== undefined)) {
    assert.deepEqual(parseList(one.raw.join(', ')).map(member), [one.expected], one.name);
  }
});
