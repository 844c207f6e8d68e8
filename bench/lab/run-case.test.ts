// The lab: every schedule and stop of the documents, as this project's copy of their figures has them.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { LAB_CASES, type LabCase } from './cases.ts';
import { differences, runCase } from './run-case.ts';

for (const lab of LAB_CASES) {
  test(`${lab.id}: ${lab.what}`, async () => {
    assert.deepEqual(differences(lab, await runCase(lab)), []);
  });
}

test('a case that ends otherwise is told with both values', async () => {
  const [first] = LAB_CASES;
  assert.ok(first);
  const wrong: LabCase = { ...first, expect: { ...first.expect, endS: 15, attempts: 2 } };
  assert.deepEqual(differences(wrong, await runCase(wrong)), ['endS: 14 instead of 15', 'attempts: 3 instead of 2']);
});

interface Reference {
  readonly schedules: readonly {
    readonly id: string;
    readonly attempts: readonly {
      readonly startSec: number;
      readonly tookSec: number;
      readonly status: number;
      readonly retryAfter?: string;
    }[];
    readonly expect: {
      readonly endSec: number;
      readonly requestSec: number;
      readonly waitSec: number;
      readonly attempts: number;
    };
  }[];
  readonly stops: readonly {
    readonly id: string;
    readonly given?: readonly (readonly [number, number, string | null])[];
    readonly headers?: readonly string[];
  }[];
}

test('the cases are those of the reference figures, reply by reply', () => {
  const path = new URL('../../../clients/testdata/schedules.json', import.meta.url);
  const reference = JSON.parse(readFileSync(path, 'utf8')) as Reference;
  const find = (id: string) => {
    const found = LAB_CASES.find((lab) => lab.id === id);
    assert.ok(found, id);
    return found;
  };
  for (const { id, attempts, expect } of reference.schedules) {
    const lab = find(id);
    assert.deepEqual(
      lab.given,
      attempts.map(({ tookSec, status, retryAfter }) => [tookSec, status, retryAfter ?? null]),
      id,
    );
    assert.deepEqual(
      lab.expect.startsS,
      attempts.map(({ startSec }) => startSec),
      id,
    );
    const { endS, requestS, waitS, attempts: count } = lab.expect;
    assert.deepEqual(
      [endS, requestS, waitS, count],
      [expect.endSec, expect.requestSec, expect.waitSec, expect.attempts],
      id,
    );
  }
  for (const { id, given, headers } of reference.stops) {
    if (headers !== undefined) for (const header of headers) find(`header-invalid ${header}`);
    else if (id === 'header-fraction') assert.deepEqual(find('header-invalid 1.5').given, given);
    else assert.deepEqual(find(id).given, given, id);
  }
});
