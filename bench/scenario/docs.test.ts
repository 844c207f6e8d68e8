// docs/scenario.md against the schema, both ways: every gate, policy and field is on the page, and nothing else.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { ROOT } from '../testing.ts';
import { platformSchema, taskSchema } from './platform-schema.ts';
import { policySchema } from './policy-schema.ts';

const page = readFileSync(join(ROOT, 'docs/scenario.md'), 'utf8');

/** Rows of a section's table: name to fields. */
function rows(section: string): Map<string, string[]> {
  const [, text = ''] = page.split(`## ${section}\n`);
  const [own = ''] = text.split('\n## ');
  return new Map(
    [...own.matchAll(/^\| `([a-z_0-9]+)` \| ([^|]*)\|/gm)].map(([, name = '', fields = '']) => [
      name,
      [...fields.matchAll(/`([a-z_0-9]+)`/g)].map(([, field = '']) => field),
    ]),
  );
}

test('policies', () => {
  const schema = policySchema.options.map(
    (option) => [option.shape.policy.value, Object.keys(option.shape).filter((name) => name !== 'policy')] as const,
  );
  assert.deepEqual(
    new Map([...rows('Policies')].sort()),
    new Map([...schema].map(([name, fields]) => [name, [...fields]] as [string, string[]]).sort()),
  );
});

test('gates', () => {
  const schema = platformSchema.shape.gates.element.options.map(
    (option) =>
      [option.shape.gate.value, Object.keys(option.shape).filter((name) => name !== 'gate')] as [string, string[]],
  );
  assert.deepEqual(new Map([...rows('Gates')].sort()), new Map(schema.sort()));
});

test('fields of the task', () => {
  const named = [...page.matchAll(/`task\.([a-z_]+)`/g)].map(([, field = '']) => field);
  assert.deepEqual([...new Set(named)].sort(), Object.keys(taskSchema.shape).sort());
});
