// `task.calendar` of a scenario file: what is read from it, what counts in the hash, and which mistakes are named.

import assert from 'node:assert/strict';
import test from 'node:test';
import { InputError } from '../input-error.ts';
import { changedPreset } from '../testing.ts';
import { parseScenario } from './load.ts';
import { SourceFile } from './source-file.ts';

const text = (calendar: object) => changedPreset('storm-night', { 'task.calendar': calendar });
const parse = (source: string) => parseScenario(SourceFile.parse('night.yaml', source)).scenario;

test('steps are read in ms, and a calendar is trusted unless it says otherwise', () => {
  const { calendar } = parse(text({ steps: [{ at_s: 600, by_s: -3600 }] })).task;
  assert.deepEqual(calendar, { trusted: true, steps: [{ atMs: 600_000, byMs: -3_600_000 }] });
  assert.deepEqual(parse(text({ trusted: false })).task.calendar, { trusted: false, steps: [] });
});

test('a calendar counts in the hash when it does something', () => {
  const { hash, task } = parse(changedPreset('storm-night', {}));
  assert.equal(task.calendar, undefined);
  for (const nothing of [{}, { steps: [] }, { trusted: true }]) assert.equal(parse(text(nothing)).hash, hash);
  for (const something of [{ trusted: false }, { steps: [{ at_s: 0, by_s: 1 }] }])
    assert.notEqual(parse(text(something)).hash, hash);
});

const MISTAKES: readonly (readonly [object, string, RegExp])[] = [
  [
    { steps: [6, 5].map((at_s) => ({ at_s, by_s: 1 })) },
    'at_s: 5',
    /task\.calendar\.steps\.1\.at_s: got 5; allowed: more than the one before, which is 6$/,
  ],
  [{ steps: [{ at_s: -1, by_s: 1 }] }, 'at_s: -1', /steps\.0\.at_s: got -1; allowed: at least 0$/],
  [{ steps: [{ at_s: 5, by_s: -31_536_001 }] }, 'by_s:', /steps\.0\.by_s: got -31536001; allowed: at least -31536000$/],
  [{ steps: [{ at_s: 5, by_s: 0.5 }] }, 'by_s:', /steps\.0\.by_s: got 0\.5; allowed: a whole number$/],
  [
    { steps: Array.from({ length: 101 }, (_, at_s) => ({ at_s, by_s: 1 })) },
    'steps:',
    /task\.calendar\.steps: got .*; allowed: at most 100 entries$/,
  ],
  [{ trusted: 'yes' }, 'trusted:', /task\.calendar\.trusted: got "yes"; allowed: a value of type boolean$/],
  [{ step: [] }, 'step:', /task\.calendar\.step .*allowed: the fields trusted, steps$/],
];

test('a mistake is one line with its place', () => {
  for (const [calendar, at, says] of MISTAKES) {
    const source = text(calendar);
    const lineOf = source.slice(0, source.indexOf(at)).split('\n').length;
    assert.throws(
      () => parse(source),
      (error: unknown) => {
        assert.ok(error instanceof InputError);
        assert.match(error.message, says);
        assert.ok(error.message.startsWith(`night.yaml:${lineOf}: `), error.message);
        return true;
      },
    );
  }
});
