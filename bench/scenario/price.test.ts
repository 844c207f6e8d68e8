// The price of a call and the name for chance: what changes a night, and what does not.

import assert from 'node:assert/strict';
import test from 'node:test';
import { changedPreset } from '../testing.ts';
import { parseScenario } from './load.ts';
import { SourceFile } from './source-file.ts';

const parse = (text: string) => parseScenario(SourceFile.parse('night.yaml', text)).scenario;

test('a price changes no night, and a name for chance changes them', () => {
  const base = parse(changedPreset('storm-night', {}));
  assert.equal(base.price, undefined);
  const priced = parse(changedPreset('storm-night', { price: { per_call: 0.002, currency: 'USD' } }));
  assert.deepEqual(priced.price, { perCall: 0.002, currency: 'USD' });
  assert.equal(priced.hash, base.hash);
  const own = parse(changedPreset('storm-night', { 'strategies.guarded.chance': 'mine' }));
  assert.equal(own.strategies.guarded?.chance, 'mine');
  assert.notEqual(own.hash, base.hash);
  const mistakes: readonly (readonly [Record<string, unknown>, RegExp])[] = [
    [{ price: { per_call: -1, currency: 'USD' } }, /night\.yaml:\d+: price\.per_call: got -1; allowed: at least 0$/],
    [
      { price: { per_call: 1, currency: 'usd' } },
      /price\.currency: got "usd"; allowed: three capital letters, such as USD$/,
    ],
    [{ price: { per_call: 1 } }, /price\.currency: got nothing; allowed: a value of type string$/],
    [{ 'strategies.guarded.chance': 'My own' }, /strategies\.guarded\.chance: got "My own"; allowed: small letters/],
  ];
  for (const [change, message] of mistakes)
    assert.throws(() => parse(changedPreset('storm-night', change)), message, JSON.stringify(change));
});
