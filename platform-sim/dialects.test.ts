// The shapes that an SDK expects of a success, by path.

import assert from 'node:assert/strict';
import test from 'node:test';
import { dialectBody } from './dialects.ts';

const PATHS: readonly (readonly [string, string | undefined])[] = [
  ['/v1/chat/completions', 'chat.completion'],
  ['/chat/completions', 'chat.completion'],
  ['/v1/messages', 'message'],
  ['/api/v1/messages', 'message'],
  ['/messages', undefined],
  ['/v1/messages/5', undefined],
  ['/v1/items/5', undefined],
  ['', undefined],
];

test('a success has the shape that its path asks for', () => {
  for (const [path, kind] of PATHS) {
    const text = dialectBody(path);
    const body =
      text === undefined ? undefined : (JSON.parse(text) as { readonly object?: string; readonly type?: string });
    assert.equal(body?.object ?? body?.type, kind, path);
  }
});
