// Five kills of what `npm run crash` does a hundred of, with room and with a budget that does not suffice; and that the judge
// sees a promise that was not kept.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import test, { type TestContext } from 'node:test';
import { temporaryFolder } from '../../testing.ts';
import { type CrashSettings, crashTask } from './crash-trial.ts';
import { judgeCrash } from './judge-crash.ts';

const settingsOf = (t: TestContext, calls: number): CrashSettings => ({
  kills: 5,
  items: 400,
  calls,
  speed: 50,
  seed: 3,
  folder: temporaryFolder(t),
});

test('five kills of client and platform: every item is done, and the ledger balances to the unit', async (t) => {
  const settings = settingsOf(t, 20_000);
  const crashed = await crashTask(settings);
  const { client, platform } = crashed.kills;
  assert.equal(client + platform, 5);
  assert.ok(client > 0 && platform > 0, `${client} and ${platform}`);
  const { broken, done } = judgeCrash(settings, crashed);
  assert.deepEqual([broken, done], [[], 400]);

  const text = readFileSync(crashed.records, 'utf8');
  const lines = text.trimEnd().split('\n');
  writeFileSync(crashed.records, `${lines.slice(0, -1).join('\n')}\n`);
  assert.match(judgeCrash(settings, crashed).broken.join('\n'), /and never arrived/, 'a request that is missing');
  const again = (lines.at(-1) ?? '').replace(/"ordinal":\d+/, '"ordinal":19999');
  writeFileSync(crashed.records, `${text}${again}\n`);
  assert.match(judgeCrash(settings, crashed).broken.join('\n'), /asked for again when it was done/);
});

test('five kills on a budget that does not suffice: it is spent to the last call and no further', async (t) => {
  const settings = settingsOf(t, 350);
  const crashed = await crashTask(settings);
  const { broken, calls, requests } = judgeCrash(settings, crashed);
  assert.deepEqual([broken, calls], [[], 350]);
  assert.ok(requests <= 350);
});
