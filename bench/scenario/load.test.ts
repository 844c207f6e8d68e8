// Scenario files: presets load, equal meaning has equal hashes, and every mistake is one line with its place.

import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { InputError } from '../input-error.ts';
import { changedPreset, temporaryFolder } from '../testing.ts';
import { loadScenario, parseScenario, presetNames, scenarioJsonSchema } from './load.ts';
import { SourceFile } from './source-file.ts';

const parse = (text: string) => parseScenario(SourceFile.parse('night.yaml', text)).scenario;

test('the presets are those of the README, and load', () => {
  const storms = ['storm-night', 'storm-night-budget-9000', 'tight-edge', 'tiny-quota'];
  const names = ['bursty', 'calm', 'liar', 'outage', 'scripted', 'shared-quota', 'slow', ...storms];
  assert.deepEqual(presetNames(), names);
  for (const name of names) assert.equal(loadScenario(name).scenario.name, name);
});

test('a scenario is frozen at every depth', () => {
  const { scenario } = loadScenario('storm-night');
  assert.ok(Object.isFrozen(scenario.profile.gates[0]));
  assert.ok(Object.isFrozen(scenario.strategies.guarded?.policies[0]));
});

test('the hash is of the meaning: not of the description, the order of keys or the way to write a strategy', () => {
  const base = parse(changedPreset('storm-night', {})).hash;
  assert.equal(parse(changedPreset('storm-night', { description: 'other words' })).hash, base);
  const text = changedPreset('storm-night', {});
  const [head = '', tail = ''] = text.split('task:\n');
  const moved = `task:\n${tail.slice(0, tail.indexOf('strategies:'))}${head}${tail.slice(tail.indexOf('strategies:'))}`;
  assert.equal(parse(moved).hash, base);
  assert.notEqual(parse(changedPreset('storm-night', { 'task.items': 8999 })).hash, base);
  assert.notEqual(parse(changedPreset('storm-night', { 'platform.gates.4.rate': 0.26 })).hash, base);
});

test('what a 429 of an unnamed limit is taken for is said under request, and is a rate when nothing is said', () => {
  const scheduler = { kind: 'checkpointed_items', concurrency: 1, hold_slot_while_waiting: true };
  const taken = (strategy: object) =>
    parse(changedPreset('storm-night', { fitted: [], strategies: { guarded: strategy } })).strategies.guarded?.request;
  const request = { unlabelled_limits: 'quota' };
  assert.equal(taken({ scheduler, policies: [] })?.unlabelledLimits, 'rate');
  assert.equal(taken({ scheduler, policies: [], request })?.unlabelledLimits, 'quota');
  assert.equal(taken({})?.unlabelledLimits, 'rate');
  assert.equal(taken({ request })?.unlabelledLimits, 'quota');
  assert.throws(
    () => taken({ request: { unlabelled_limits: 'both' } }),
    /unlabelled_limits: got "both"; allowed: one of rate, quota$/,
  );
});

test('a strategy can be extended, changed, cut, added to, or written whole', () => {
  const { strategies } = parse(
    changedPreset('storm-night', {
      fitted: [],
      strategies: {
        careful: {
          extends: 'guarded',
          scheduler: { concurrency: 2 },
          set: { call_budget: { calls: 7 } },
          without: ['circuit_breaker'],
          with: [{ policy: 'attempt_cap', attempts: 9 }, { policy: 'immediate' }],
        },
        whole: {
          scheduler: { kind: 'checkpointed_items', concurrency: 3, hold_slot_while_waiting: false },
          policies: [{ policy: 'attempt_cap', attempts: 1 }],
        },
      },
    }),
  );
  const careful = strategies.careful;
  assert.equal(careful?.scheduler.concurrency, 2);
  const tags = careful?.policies.map(({ policy }) => policy);
  assert.deepEqual(tags, [
    'call_budget',
    'quota_stop',
    'attempt_cap',
    'exponential_backoff',
    'retry_after',
    'immediate',
  ]);
  assert.deepEqual(careful?.policies[0], { policy: 'call_budget', calls: 7 });
  assert.deepEqual(careful?.policies[2], { policy: 'attempt_cap', attempts: 9 });
  assert.equal(strategies.whole?.policies.length, 1);
});

const line = (text: string, part: string) => text.slice(0, text.indexOf(part)).split('\n').length;

/** What is changed, and what the one line must say; `at` is a part of the text on the line that must be named. */
const MISTAKES: readonly (readonly [string, Record<string, unknown>, string, RegExp])[] = [
  [
    'unknown field',
    { 'task.itmes': 5 },
    'itmes',
    /task\.itmes .*got "itmes"; allowed: the fields name, items, client_start_ms, prep_ms, calendar/,
  ],
  [
    'negative rate',
    { 'platform.gates.0.refill_per_s': -3 },
    'refill_per_s',
    /platform\.gates\.0\.refill_per_s: got -3; allowed: at least 0/,
  ],
  [
    'probability of 1.2',
    { 'platform.gates.4.rate': 1.2 },
    'rate: 1.2',
    /platform\.gates\.4\.rate: got 1\.2; allowed: at most 1/,
  ],
  [
    'NaN',
    { 'platform.gates.4.rate': Number.NaN },
    'rate: .nan',
    /platform\.gates\.4\.rate: got NaN; allowed: a value of type number/,
  ],
  ['infinite', { 'task.prep_ms': Number.POSITIVE_INFINITY }, 'prep_ms: .inf', /task\.prep_ms: got Infinity; allowed/],
  [
    'text for a number',
    { 'task.items': 'many' },
    'items: many',
    /task\.items: got "many"; allowed: a (whole number|value of type number)/,
  ],
  ['no items', { 'task.items': 0 }, 'items: 0', /task\.items: got 0; allowed: at least 1/],
  ['half a millisecond', { 'task.prep_ms': 0.5 }, 'prep_ms: 0.5', /task\.prep_ms: got 0\.5; allowed: a whole number/],
  [
    'range upside down',
    { 'platform.latency_ms': [250, 150] },
    'latency_ms',
    /platform\.latency_ms: got \[250,150\]; allowed: .*the lower one first/,
  ],
  [
    'unknown gate',
    { 'platform.gates.0.gate': 'moat' },
    'moat',
    /platform\.gates\.0\.gate: got "moat"; allowed: .*edge_token_bucket/,
  ],
  [
    'two billing gates',
    { 'platform.gates.4': { gate: 'billing' } },
    'gates:',
    /platform\.gates: .*allowed: exactly one billing gate/,
  ],
  [
    'quota that nothing counts against',
    { 'platform.gates.3': { gate: 'fault', rate: 0 } },
    'gates:',
    /platform\.gates: .*allowed: exactly one billing gate/,
  ],
  [
    'space at the end of a header',
    { 'platform.gates.0.retry_after': { form: 'text', value: '5 ' } },
    'value:',
    /retry_after\.value: got "5 "; allowed: .*no space at either end/,
  ],
  ['bad time', { epoch: 'yesterday' }, 'epoch', /epoch: got "yesterday"; allowed: a UTC time/],
  [
    'unknown strategy',
    { 'strategies.nieve': {} },
    'nieve',
    /strategies\.nieve .*got "nieve"; allowed: one of naive, guarded/,
  ],
  [
    'unknown base',
    { 'strategies.naive': { extends: 'nieve' } },
    'extends: nieve',
    /strategies\.naive\.extends: got "nieve"; allowed: one of naive/,
  ],
  [
    'unknown policy',
    { 'strategies.guarded.without': ['budget'] },
    'budget',
    /strategies\.guarded\.without\.0: got "budget"; allowed: one of .*call_budget/,
  ],
  [
    'policy that the base lacks',
    { 'strategies.naive': { without: ['call_budget'] } },
    '- call_budget',
    /without\.0: got "call_budget"; allowed: one of attempt_cap, immediate/,
  ],
  [
    'bad setting',
    { 'strategies.guarded.set.call_budget': { calls: -1 } },
    'calls: -1',
    /strategies\.guarded\.set\.call_budget\.calls: got -1; allowed: at least 0/,
  ],
  [
    'unknown setting',
    { 'strategies.guarded.set.call_budget': { call: 1 } },
    'call: 1',
    /call_budget\.call .*allowed: the fields policy, calls/,
  ],
  [
    'bad scheduler',
    { 'strategies.guarded.scheduler': { concurrency: 0 } },
    'concurrency: 0',
    /scheduler\.concurrency: got 0; allowed: at least 1/,
  ],
  [
    'fitted nothing',
    { fitted: ['task.nothing'] },
    'task.nothing',
    /fitted\.0: got "task\.nothing"; allowed: the path of a value/,
  ],
  ['no name', { name: undefined }, '', /name: got null; allowed: a value of type string/],
  ['bad name', { name: '../up' }, '../up', /name: got "\.\.\/up"; allowed: small letters/],
];

for (const [what, changes, at, says] of MISTAKES) {
  test(`mistake: ${what}`, () => {
    const text = changedPreset('storm-night', { ...('strategies.naive' in changes ? { fitted: [] } : {}), ...changes });
    assert.throws(
      () => parse(text),
      (error: unknown) => {
        assert.ok(error instanceof InputError);
        assert.match(error.message, says);
        assert.ok(!error.message.includes('\n'), 'one line');
        const [, named] = /^night\.yaml:([0-9]+): /.exec(error.message) ?? [];
        if (at !== '') assert.equal(Number(named), line(text, at), `${error.message}\n${text}`);
        return true;
      },
    );
  });
}

const BILLED = { gate: 'billing' };
const SOFT = { gate: 'soft_limit', rate: 0.1, retry_after: { form: 'absent' } };
const SCRIPT = { gate: 'scripted', replies: [] };
const FAULT = { gate: 'fault', rate: 0.5 };

test('orders of gates whose books could not balance are refused', () => {
  for (const [gates, says] of [
    [[], /exactly one billing gate/],
    [[SCRIPT, BILLED], /exactly one billing gate/],
    [[BILLED, SOFT], /soft_limit, monthly_quota in front of the billing gate only/],
    [[FAULT, BILLED], /a fault gate behind the billing gate only/],
    [[SCRIPT, FAULT], /the scripted gate last/],
  ] as const) {
    assert.throws(() => parse(changedPreset('storm-night', { 'platform.gates': gates })), says);
  }
  for (const gates of [[BILLED], [SOFT, BILLED, FAULT], [SOFT, SCRIPT]])
    parse(changedPreset('storm-night', { 'platform.gates': gates }));
});

test('aliases, keys that are no plain values, and names that every object has are mistakes, not crashes', () => {
  const text = changedPreset('calm', {});
  for (const [from, to, says] of [
    ['items: 9000', 'items: *many', /night\.yaml:[0-9]+: \(the file\): got "the alias \*many"/],
    ['items: 9000', 'items: &a [*a]', /the alias \*a/],
    ['  naive:', '  ? [a, b]\n  : 1\n  naive:', /a mapping key that is no plain value/],
    ['  naive:', '  constructor: {}\n  naive:', /strategies\.constructor .*allowed: one of naive/],
    ['  naive:', '  mine: { extends: toString }\n  naive:', /extends: got "toString"; allowed: one of naive/],
    [
      'latency_ms: [ 150, 250 ]',
      'latency_ms: [150, 3600001]',
      /latency_ms: got \[150,3600001\]; allowed: up to 3600000 ms/,
    ],
  ] as const) {
    assert.throws(
      () => parse(text.replace(from, to)),
      (error: unknown) => error instanceof InputError && says.test(error.message),
      to,
    );
  }
});

test('a folder of that name does not hide a preset', (t) => {
  const before = process.cwd();
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'calm'));
  process.chdir(folder);
  try {
    assert.equal(loadScenario('calm').scenario.name, 'calm');
  } finally {
    process.chdir(before);
  }
});

test('an outage that ends before it begins', () => {
  const text = changedPreset('outage', { 'platform.gates.4.to_s': 200 });
  assert.throws(() => parse(text), /platform\.gates\.4\.to_s: got 200; allowed: more than from_s, which is 300/);
});

test('what is no YAML names its line; what is no mapping says so; a missing file is named', () => {
  assert.throws(
    () => parse('name: a\n  b: [1\n'),
    /^InputError: night\.yaml:[0-9]+: column [0-9]+: not YAML: .*allowed: a YAML 1\.2 mapping$/,
  );
  assert.throws(() => parse('- 1\n'), /night\.yaml:1: \(the whole file\): got \[1\]; allowed/);
  assert.throws(() => parse('name: a\nname: b\n'), /night\.yaml:2: .*unique/);
  assert.throws(() => loadScenario('/nowhere.yaml'), /^InputError: \/nowhere\.yaml:1: .*ENOENT/);
});

test('the JSON Schema for editors knows the gates and the policies', () => {
  const text = JSON.stringify(scenarioJsonSchema());
  for (const word of ['edge_token_bucket', 'circuit_breaker', 'client_start_ms']) assert.ok(text.includes(word), word);
});
