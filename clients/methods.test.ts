// Holds which requests may be sent twice: by method, and with a key whatever the method.

import assert from 'node:assert/strict';
import test from 'node:test';
import { isRepeatable } from './methods.ts';

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
