// What a path is about: an item wherever it stands, or a resource of its own, keyed as the platform keys it.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { Platform } from '../../platform-sim/platform.ts';
import { parseItemPath } from '../../platform-sim/wire.ts';
import { smallStorm } from '../testing.ts';
import { itemOf, resourceKey } from './resource.ts';

const PATHS: readonly (readonly [string, number | undefined])[] = [
  ['/v1/items/17', 17],
  ['/items/0', 0],
  ['/items/17/parts', 17],
  ['/shop/items/17?full=1', 17],
  ['/items/999999999', 999_999_999],
  ['/items/1000000000', undefined],
  ['/items/017', undefined],
  ['/items/17x', undefined],
  ['/items/-1', undefined],
  ['/items/', undefined],
  ['/myitems/5', undefined],
  ['/v1/messages', undefined],
  ['/search?path=/items/5', 5],
  ['', undefined],
];

test('an item is found in a path, or none is', () => {
  for (const [path, item] of PATHS) {
    assert.equal(itemOf(path), item, path);
    if (item !== undefined) assert.equal(resourceKey(path), item, path);
    else assert.ok(resourceKey(path) < 0, path);
    assert.ok(Number.isSafeInteger(resourceKey(path)));
  }
});

test('what our own wire calls an item is one here too', () => {
  fc.assert(
    fc.property(fc.nat(2_000_000_000), (number) => {
      const path = `/v1/items/${number}`;
      return itemOf(path) === parseItemPath(path);
    }),
  );
});

test('the platform draws by the same key: the same path meets the same fault, whoever asks', () => {
  const scenario = smallStorm({ 'platform.gates.2.calls': 1_000_000 });
  const classesOf = (path: string) => {
    const platform = new Platform(scenario.profile, 1);
    return Array.from(
      { length: 20 },
      (_, k) => platform.decide({ client: path, item: itemOf(path) }, k * 1000).verdictClass,
    ).join();
  };
  assert.equal(classesOf('/items/3'), classesOf('/v1/items/3?again'));
  assert.equal(classesOf('/v1/messages'), classesOf('/v1/messages'));
  assert.notEqual(classesOf('/v1/messages'), classesOf('/v1/messages?'));
});
