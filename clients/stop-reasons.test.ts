// Holds that the list of stop reasons is closed: each once, each in snake_case, as books and logs write it.

import assert from 'node:assert/strict';
import test from 'node:test';
import { STOP_REASONS } from './stop-reasons.ts';

test('each reason is there once, and success is one of them', () => {
  assert.equal(new Set(STOP_REASONS).size, STOP_REASONS.length);
  assert.ok(STOP_REASONS.includes('done'));
  for (const reason of STOP_REASONS) assert.match(reason, /^[a-z]+(_[a-z]+)*$/);
});
