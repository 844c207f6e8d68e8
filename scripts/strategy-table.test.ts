// The README's table of strategies is the one of results/reference/strategies.csv, row by row, with every strategy in it, and a
// row made again is the same.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { parse } from 'csv-parse/sync';
import { NightPool } from '../bench/run/night-pool.ts';
import { ROOT } from '../bench/testing.ts';
import { CATALOGUE } from '../clients/strategies/catalogue.ts';
import { STRATEGIES_CSV, strategyRow, tableRow } from './strategy-table.ts';

const rows: Record<string, string>[] = parse(readFileSync(STRATEGIES_CSV, 'utf8'), { columns: true });

test('every strategy of the catalogue has its row, and the README has all of them', () => {
  assert.deepEqual(
    rows.map(({ strategy }) => strategy),
    Object.keys(CATALOGUE),
  );
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  for (const row of rows) assert.ok(readme.includes(`${tableRow(row)}\n`), tableRow(row));
});

test('a row made again is the one on file', async () => {
  const pool = new NightPool();
  const again = await strategyRow('grpc-a6', pool);
  await pool.close();
  assert.equal(tableRow(again), tableRow(rows.find(({ strategy }) => strategy === 'grpc-a6') ?? {}));
});
