// A reproduction on file: every band, median and verdict follows from the nights beside it, and a changed figure is found
// though the digests were made to fit.

import assert from 'node:assert/strict';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { type TestContext } from 'node:test';
import { stream } from '../../platform-sim/draws.ts';
import { type Night, runNight } from '../night.ts';
import { NIGHTS_FILE, reproductionFiles } from '../reproduce/files.ts';
import { recordedPart } from '../reproduce/reproduce.ts';
import {
  BUDGET_CLIENT,
  reproduceCommand,
  SERIES,
  Series,
  type SeriesClient,
  seriesNight,
} from '../reproduce/series.ts';
import { MANIFEST } from '../results-folder/manifest.ts';
import { runExperiment, sealExperiment } from '../run/experiment.ts';
import { NightPool } from '../run/night-pool.ts';
import { loadScenario } from '../scenario/load.ts';
import { coverUp, storm, temporaryFolder } from '../testing.ts';
import { contradictions } from './series-identities.ts';
import { verifyFolder } from './verify-folder.ts';
import { type Recorded, verifyReproduction } from './verify-reproduction.ts';

const SETTINGS = { seed: 5, nights: 4 };
const FILES = ['reproduction.csv', 'reproduction-by-minute.csv', NIGHTS_FILE] as const;
const { scenario } = loadScenario('storm-night');

const NIGHTS: Promise<Readonly<Record<SeriesClient, readonly Night[]>>> = (async () => {
  const nightsOf = async (preset: string, strategy: string) => {
    const nights: Night[] = [];
    for (let seed = SETTINGS.seed; seed < SETTINGS.seed + SETTINGS.nights; seed++) {
      const spec = { scenario: loadScenario(preset).scenario, strategy, seed, clock: 'virtual' } as const;
      nights.push(await runNight(spec));
    }
    return nights;
  };
  return {
    naive: await nightsOf('storm-night', 'naive'),
    guarded: await nightsOf('storm-night', 'guarded'),
    [BUDGET_CLIENT]: await nightsOf('storm-night-budget-9000', 'guarded'),
  };
})();

const first = (nights: readonly Night[]): Night => {
  const [night] = nights;
  assert.ok(night);
  return night;
};

interface Reproduced {
  readonly folder: string;
  /** What verify finds wrong in it. */
  problems(recorded?: Recorded): Promise<string[]>;
}

/** The files of a reproduction of few nights, without the books of its recorded ones. */
async function reproduced(t: TestContext): Promise<Reproduced> {
  const folder = temporaryFolder(t);
  const nights = await NIGHTS;
  const series = new Series();
  for (const [client, all] of Object.entries(nights))
    for (const night of all) series.add(seriesNight(client as SeriesClient, night));
  const comparison = series.compare({
    naive: seriesNight('naive', first(nights.naive)),
    guarded: seriesNight('guarded', first(nights.guarded)),
    [BUDGET_CLIENT]: seriesNight(BUDGET_CLIENT, first(nights[BUDGET_CLIENT])),
  });
  for (const [name, text] of Object.entries(reproductionFiles(comparison))) writeFileSync(join(folder, name), text);
  const recorded = { naive: first(nights.naive), guarded: first(nights.guarded) };
  return {
    folder,
    async problems(books = recorded) {
      const found: string[] = [];
      const problem = (file: string, what: string) => found.push(`${file}: ${what}`);
      try {
        await verifyReproduction(folder, SETTINGS, scenario.task, books, problem);
      } catch (error) {
        found.push(String(error));
      }
      return found;
    },
  };
}

test('untouched, it follows from its nights', async (t) => {
  assert.deepEqual(await (await reproduced(t)).problems(), []);
});

test('any digit changed in any of its files is found', async (t) => {
  const { folder, problems } = await reproduced(t);
  const draw = stream(8, 'digits');
  for (const [f, file] of FILES.entries()) {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    const digits = [...text.matchAll(/[0-9]/g)].map(({ index }) => index);
    for (let trial = 0; trial < 120; trial++) {
      const index = digits[Math.floor(draw(f, trial) * digits.length)] ?? 0;
      writeFileSync(path, `${text.slice(0, index)}${(Number(text[index]) + 1) % 10}${text.slice(index + 1)}`);
      assert.notDeepEqual(
        await problems(),
        [],
        `${file} at ${index}: ${text.slice(Math.max(0, index - 60), index + 20)}`,
      );
    }
    writeFileSync(path, text);
  }
});

test('a verdict turned, a figure left out, a night taken away, doubled or moved is found', async (t) => {
  const { folder, problems } = await reproduced(t);
  const changes: readonly (readonly [string, (lines: string[]) => string[], RegExp])[] = [
    ['reproduction.csv', ([head = '', ...rest]) => [head, ...rest.slice(1)], /line 2: is "naive,billed/],
    ['reproduction.csv', (lines) => lines.map((text, i) => (i === 2 ? text.replace(/1$/, '0') : text)), /line 3: is/],
    ['reproduction-by-minute.csv', (lines) => lines.filter((_, i) => i !== 7), /line 8: is/],
    [NIGHTS_FILE, (lines) => lines.filter((_, i) => i !== 3), /has 11 nights instead of 12/],
    [NIGHTS_FILE, (lines) => lines.flatMap((text, i) => (i === 3 ? [text, text] : [text])), /line 5: is naive, seed 7/],
    [NIGHTS_FILE, ([head = '', a = '', b = '', ...rest]) => [head, b, a, ...rest], /line 2: is naive, seed 6/],
    [NIGHTS_FILE, (lines) => lines.map((text) => text.replace('guarded,5', 'brave,5')), /line 6: is brave, seed 5/],
  ];
  for (const [file, change, says] of changes) {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, `${change(text.trimEnd().split('\n')).join('\n')}\n`);
    assert.match((await problems()).join('\n'), says);
    writeFileSync(path, text);
  }
});

/** Figures that no other of the same night says again: in a long series they are held by their bands alone. */
const SAID_ONCE: Readonly<Record<SeriesClient, readonly string[]>> = {
  naive: [
    ...['quota gone at, s', 'items done', 'duration, s'],
    ...[10, 20, 50, 178, 179, 180].map((batch) => `batch ${batch}: passes`),
  ],
  guarded: ['edge rejected', 'duration, s', 'planned waits'],
  [BUDGET_CLIENT]: ['items done'],
};

test('a night agrees with itself, and one more of any figure or cell contradicts another, but for those said once', async () => {
  const nights = await NIGHTS;
  for (const client of Object.keys(SERIES) as SeriesClient[]) {
    for (const each of nights[client]) {
      const night = seriesNight(client, each);
      assert.deepEqual(contradictions(night, scenario.task), []);
      const more = (values: readonly (number | undefined)[], at: number) =>
        values.map((value, i) => (i === at ? (value ?? 0) + 1 : value));
      const unnoticed = SERIES[client].filter(
        (_, i) => contradictions({ ...night, values: more(night.values, i) }, scenario.task).length === 0,
      );
      assert.deepEqual(
        unnoticed.map(({ name }) => name),
        SAID_ONCE[client],
      );
      for (const i of night.cells.keys()) {
        const cells = more(night.cells, i) as number[];
        assert.notDeepEqual(contradictions({ ...night, cells }, scenario.task), [], `cell ${i}`);
      }
    }
  }
});

test('what is moved within a night, so that a sum still holds, contradicts another', async () => {
  const night = seriesNight('naive', first((await NIGHTS).naive));
  const names = SERIES.naive.map(({ name }) => name);
  const moved = (values: readonly (number | undefined)[], up: number, down: number, by: number) =>
    values.map((value = 0, i) => value + (i === up ? 1 : i === down ? by : 0));
  const figures = (up: string, down: string, by: number) =>
    contradictions(
      { ...night, values: moved(night.values, names.indexOf(up), names.indexOf(down), by) },
      scenario.task,
    );
  assert.deepEqual(figures('batch 180: ok', 'batch 180: attempts', 1), [
    'batch 180: attempts = calls',
    'batch 180: ok = ok',
  ]);
  assert.ok(
    figures('batches complete', 'batches failed', -1).length === 0,
    'nothing else says which batch was complete',
  );
  assert.notDeepEqual(figures('edge rejected', 'soft limited', -1), []);
  // From one minute to the next, in each column.
  for (const column of [0, 1, 2, 3]) {
    const cells = moved(night.cells, 8 + column, 12 + column, -1);
    const found = contradictions({ ...night, cells }, scenario.task);
    assert.deepEqual(
      found,
      [2, 3].map((minute) => `minute ${minute}: total = billed + edge + soft + quota`),
    );
  }
});

test('the first night of a series is the one whose books are in the folder', async (t) => {
  const { problems } = await reproduced(t);
  const { naive, guarded } = await NIGHTS;
  const [, otherNaive] = naive;
  assert.ok(otherNaive);
  const found = await problems({ naive: otherNaive, guarded: first(guarded) });
  assert.match(found.join('\n'), /naive, seed 5: is not the night whose books are in naive\//);
  assert.doesNotMatch(found.join('\n'), /guarded\//);
});

test('a whole folder balances; a changed median with a digest made to fit ends storm verify with 3', async (t) => {
  const { folder } = await reproduced(t);
  const pool = new NightPool();
  // In process, which gives the same books in a tenth of the time.
  const recorded = { ...recordedPart(SETTINGS), clock: 'virtual' } as const;
  await runExperiment(recorded, pool, folder, () => {});
  await pool.close();
  sealExperiment(recorded, folder, reproduceCommand(SETTINGS));
  const { problems, nights } = await verifyFolder(folder);
  assert.deepEqual([problems, nights], [[], 12]);

  const path = join(folder, 'reproduction.csv');
  const text = readFileSync(path, 'utf8');
  const [, row = ''] = text.split('\n');
  const cells = row.split(',');
  cells[6] = String(Number(cells[6]) + 1);
  writeFileSync(path, text.replace(row, cells.join(',')));
  coverUp(folder);
  const manifest = join(folder, MANIFEST);
  const sealed = readFileSync(manifest, 'utf8');
  writeFileSync(manifest, sealed.replace(reproduceCommand(SETTINGS), reproduceCommand({ seed: 5, nights: 5 })));
  const changed = storm(folder, 'verify', '.');
  assert.equal(changed.code, 3);
  assert.match(changed.stdout, /reproduction\.csv: line 2: is .*, but the nights and the published figures make it/);
  assert.match(changed.stdout, /reproduction-nights\.csv: has 12 nights instead of 15/);

  writeFileSync(manifest, sealed.replace(reproduceCommand(SETTINGS), 'storm run storm-night'));
  rmSync(join(folder, NIGHTS_FILE));
  assert.match((await verifyFolder(folder)).problems.join('\n'), /manifest\.json: .*do not go together/);
});
