// Hosts in scenario files: what they may be called, who may be down, and what leaves the hash as it was.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { changedPreset, ROOT } from '../testing.ts';
import { parseScenario } from './load.ts';
import { SourceFile } from './source-file.ts';

const parse = (changes: Readonly<Record<string, unknown>>, preset = 'outage') =>
  parseScenario(SourceFile.parse('night.yaml', changedPreset(preset, { fitted: [], ...changes }))).scenario;
const named = (hosts: unknown) => ({ strategies: { guarded: { request: { hosts } } } });
const TWO = ['a.example', 'b.example'];

test('hosts are read, of a strategy and of an outage', () => {
  const scenario = parse({ ...named(TWO), 'platform.gates.4.hosts': ['b.example'] });
  assert.deepEqual(scenario.strategies.guarded?.request.hosts, TWO);
  const outage = scenario.profile.gates[4];
  assert.deepEqual(outage?.gate === 'outage' && outage.hosts, ['b.example']);
  const own = parse({ 'platform.gates.4.hosts': ['platform'] });
  assert.equal(own.strategies.guarded?.request.hosts, undefined);
});

const LABEL = 'a'.repeat(63);
const LONGEST = `${LABEL}.${LABEL}.${LABEL}.${'a'.repeat(61)}`;

test('host names of RFC 1123 in small letters', () => {
  for (const host of ['a', '0', 'a-b', '3.14', 'xn--bcher-kva.example', LABEL, LONGEST]) parse(named([host]));
  for (const host of [
    '',
    '-a',
    'a-',
    'A.example',
    'a..b',
    '.a',
    'a.',
    'a_b',
    'a b',
    'a:80',
    'http://a',
    '[::1]',
    'bücher',
    'a\n',
    `a${LABEL}`,
    `${LONGEST}a`,
  ]) {
    assert.throws(() => parse(named(['a.example', host])), {
      name: 'InputError',
      message: /hosts\.1: got .*; allowed: a host name in small letters, without a port$/s,
    });
  }
});

/** What is changed, and what the one line must say. */
const MISTAKES: readonly (readonly [string, Record<string, unknown>, RegExp])[] = [
  ['no hosts', named([]), /strategies\.guarded\.request\.hosts: got \[\]; allowed: at least 1 entries/],
  ['65 hosts', named(Array(65).fill('a')), /request\.hosts: got .*; allowed: at most 64 entries/],
  ['one name, no list', named('a.example'), /request\.hosts: got "a\.example"; allowed: a value of type array/],
  ['a number', named([7]), /request\.hosts\.0: got 7; allowed: a value of type string/],
  [
    'an outage of nobody',
    { 'platform.gates.4.hosts': [] },
    /platform\.gates\.4\.hosts: got \[\]; allowed: at least 1 entries/,
  ],
  [
    'an outage of a host that nobody asks',
    { ...named(TWO), 'platform.gates.4.hosts': ['a.example', 'c.example'] },
    /platform\.gates\.4\.hosts\.1: got "c\.example"; allowed: asked by a strategy: a\.example, b\.example/,
  ],
  [
    'per_host of a policy that has none',
    { strategies: { guarded: { set: { call_budget: { per_host: true } } } } },
    /set\.call_budget\.per_host .*allowed: the fields policy, calls/,
  ],
  [
    'per_host that is no yes or no',
    { strategies: { guarded: { set: { circuit_breaker: { per_host: 'yes' } } } } },
    /circuit_breaker\.per_host: got "yes"; allowed: a value of type boolean/,
  ],
];

for (const [name, changes, says] of MISTAKES) {
  test(`mistake: ${name}`, () => {
    assert.throws(() => parse(changes), says);
  });
}

test('a scenario that says nothing of hosts keeps its hash, and per_host: false says nothing', () => {
  const manifest = readFileSync(join(ROOT, 'results/reference/storm-night/manifest.json'), 'utf8');
  const { scenario_hash: before } = JSON.parse(manifest) as { readonly scenario_hash: string };
  assert.equal(parse({}, 'storm-night').hash, before);
  const kept = (value: boolean) => ({ 'strategies.guarded.set.circuit_breaker': { per_host: value } });
  assert.equal(parse(kept(false), 'storm-night').hash, before);
  assert.notEqual(parse(kept(true), 'storm-night').hash, before);
  assert.notEqual(parse({ 'strategies.guarded.request': { hosts: TWO } }, 'storm-night').hash, before);
});
