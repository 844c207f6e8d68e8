// The records of a platform bring a new one to where they end, whatever the length at which they were cut.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { Platform } from '../../platform-sim/platform.ts';
import { InputError } from '../input-error.ts';
import { smallStorm, temporaryFolder } from '../testing.ts';
import { headOf, RequestRecords, readRecords, restore } from './request-records.ts';

const scenario = smallStorm({ 'platform.gates.2.calls': 150 });
const HEAD = headOf({ scenarioHash: scenario.hash, seed: 7 });
const platformOf = () => new Platform(scenario.profile, 7);

/** The request number `index`: a few items, asked for again and again, faster than the edge allows. */
const request = (index: number) => ({ client: 'guarded', item: (index * 7) % 40, host: 'platform' });
const atMs = (index: number) => index * 25;

/** Serves requests and writes them down. */
function serve(path: string, from: number, to: number, platform: Platform): string[] {
  const records = new RequestRecords(path, HEAD);
  const verdicts: string[] = [];
  for (let index = from; index < to; index++) {
    const verdict = platform.decide(request(index), atMs(index));
    records.add(index + 1, request(index), atMs(index), verdict);
    verdicts.push(verdict.verdictClass);
  }
  records.close();
  return verdicts;
}

test('killed after any number of requests, a platform goes on as if it had never been', (t) => {
  const folder = temporaryFolder(t);
  const whole = platformOf();
  const expected = serve(join(folder, 'whole'), 0, 400, whole);
  assert.ok(expected.includes('quota') && expected.includes('edge') && expected.includes('soft'));
  for (const killedAt of [0, 1, 37, 150, 251, 399]) {
    const path = join(folder, String(killedAt));
    serve(path, 0, killedAt, platformOf());
    const next = platformOf();
    assert.equal(restore(next, readRecords(path).records), killedAt === 0 ? 0 : atMs(killedAt - 1));
    assert.deepEqual(serve(path, killedAt, 400, next), expected.slice(killedAt));
    assert.deepEqual(next.meter.rows(), whole.meter.rows());
    assert.deepEqual(readFileSync(path), readFileSync(join(folder, 'whole')));
  }
});

test('case A45, of the platform: cut at every byte of its last records, the books are those of the whole ones', (t) => {
  const path = join(temporaryFolder(t), 'records');
  serve(path, 0, 20, platformOf());
  const bytes = readFileSync(path);
  for (let length = bytes.length - 250; length <= bytes.length; length++) {
    writeFileSync(path, bytes.subarray(0, length));
    const records = new RequestRecords(path, HEAD);
    records.close();
    const whole = bytes.subarray(0, length).toString('utf8').split('\n').length - 2;
    assert.equal(records.before.length, whole);
    const platform = platformOf();
    restore(platform, records.before);
    assert.equal(platform.meter.rows()[0]?.total ?? 0, whole);
  }
});

test('records of another night, of another kind, or that this platform would not have written, are refused', (t) => {
  const path = join(temporaryFolder(t), 'records');
  serve(path, 0, 20, platformOf());
  const refused = (says: RegExp, act: () => unknown) =>
    assert.throws(act, (error) => error instanceof InputError && says.test(error.message));
  refused(/got the records of another night/, () => new RequestRecords(path, { ...HEAD, seed: 8 }));
  refused(/got the records of another night/, () => new RequestRecords(path, { ...HEAD, scenario_hash: '' }));
  const { records } = readRecords(path);
  const [first, ...rest] = records;
  assert.ok(first !== undefined);
  refused(/record 1: got quota; allowed: /, () => restore(platformOf(), [{ ...first, verdict: 'quota' }, ...rest]));
  writeFileSync(path, '{"t":1}\n');
  refused(/records:1: got a line without a head/, () => readRecords(path));
});
