// The four patches: each changes its own part of a batch client and nothing else, in any combination.

import assert from 'node:assert/strict';
import test from 'node:test';
import { guarded } from './guarded.ts';
import { naive } from './naive.ts';
import { PATCHES, type Patch, patched } from './patches.ts';

const kinds = (patches: readonly Patch[]) => patched(naive.settings, patches).policies.map(({ policy }) => policy);

test('what each patch, none and all of them leave a client with', () => {
  const table: readonly (readonly [readonly Patch[], readonly string[]])[] = [
    [[], ['attempt_cap', 'immediate']],
    [['retry-after'], ['attempt_cap', 'immediate', 'retry_after']],
    [['backoff'], ['attempt_cap', 'exponential_backoff']],
    [['checkpoint'], ['attempt_cap', 'immediate']],
    [['budget'], ['circuit_breaker', 'call_budget', 'attempt_cap', 'immediate']],
    [PATCHES, ['circuit_breaker', 'call_budget', 'attempt_cap', 'exponential_backoff', 'retry_after']],
  ];
  for (const [patches, policies] of table) {
    assert.deepEqual(kinds(patches), policies, patches.join());
    const { scheduler, request } = patched(naive.settings, patches);
    assert.deepEqual(scheduler, { ...naive.settings.scheduler, skipDone: patches.includes('checkpoint') });
    assert.deepEqual(request, naive.settings.request);
  }
});

test('a client that has no batches can not be patched, nor with a patch that nobody has', () => {
  assert.throws(() => patched(guarded.settings, []), /checkpointed_items has its checkpoint/);
  assert.throws(() => patched(naive.settings, ['budget'], naive.settings), /no policy circuit_breaker/);
});
