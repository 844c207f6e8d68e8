// The README's table of contestants is the one of results/reference/arena.csv, with every contestant in it; and a night of it
// made again is the same.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { parse } from 'csv-parse/sync';
import { runArena } from '../bench/arena/arena.ts';
import { arenaCsv, arenaRows } from '../bench/arena/arena-table.ts';
import { loadScenario } from '../bench/scenario/load.ts';
import { ROOT } from '../bench/testing.ts';
import { CONTESTANTS } from '../clients/contestants/catalogue.ts';
import { ARENA_CSV, ARENA_SETTINGS, readmeRows } from './arena-table.ts';

type Row = Readonly<Record<string, string>>;

const text = readFileSync(ARENA_CSV, 'utf8');
const rowsOf = (csv: string): Row[] => parse(csv, { columns: true });

test('every contestant and both strategies have their row, and the README has all of them', () => {
  const clients = rowsOf(text).filter(({ scenario }) => scenario === 'storm-night');
  assert.deepEqual(
    clients.map(({ client }) => client),
    [...Object.keys(CONTESTANTS), ...ARENA_SETTINGS.strategies],
  );
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  for (const row of readmeRows(text).split('\n')) assert.ok(readme.includes(`${row}\n`), row);
});

test('rows made again are those on file, over real sockets', async () => {
  const again = await runArena(
    {
      ...ARENA_SETTINGS,
      scenarios: [loadScenario('tiny-quota').scenario],
      contestants: ['undici-retry-agent', 'make-fetch-happen'],
      strategies: ['guarded'],
    },
    () => {},
  );
  for (const row of rowsOf(arenaCsv(arenaRows(again)))) {
    const filed = rowsOf(text).find(({ scenario, client }) => scenario === row.scenario && client === row.client);
    // The version of Node is part of no figure.
    assert.deepEqual({ ...row, versions: '' }, { ...filed, versions: '' });
  }
});
