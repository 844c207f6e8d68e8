// Holds which requests may be sent twice: by method, and with a key whatever the method.

import assert from 'node:assert/strict';
import test from 'node:test';
import { isRepeatable } from './methods.ts';
import { readTestdata } from './retry-after/testing.ts';

test('GET, HEAD, PUT and DELETE may be repeated; POST and PATCH only with an idempotency key', () => {
  for (const [method, repeatable] of [
    ['GET', true],
    ['HEAD', true],
    ['PUT', true],
    ['DELETE', true],
    ['POST', false],
    ['PATCH', false],
  ] as const) {
    assert.equal(isRepeatable({ method, idempotencyKey: undefined }), repeatable, method);
    assert.equal(isRepeatable({ method, idempotencyKey: 'guarded-1-42' }), true, `${method} with a key`);
  }
});

test('the idempotent methods of RFC 9110 are those of ours; two of them no client of ours sends', () => {
  const { idempotent_methods } = readTestdata('http-specs/rfc9110.json') as { idempotent_methods: string[] };
  const ours = (['GET', 'HEAD', 'PUT', 'DELETE', 'POST', 'PATCH'] as const).filter((method) =>
    isRepeatable({ method, idempotencyKey: undefined }),
  );
  assert.deepEqual(
    idempotent_methods.filter((method) => method !== 'OPTIONS' && method !== 'TRACE').sort(),
    ours.sort(),
  );
});
