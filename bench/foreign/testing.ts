// For tests of foreign code: a clock in surroundings that never move, fixtures by name, and whole nights as bytes.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { summarise } from '../books/summary.ts';
import { filesBelow } from '../results-folder/manifest.ts';
import { foreignSummary } from '../run/client-nights.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { ROOT, smallStorm } from '../testing.ts';
import { verifyClient } from '../verify/verify-client.ts';
import { ForeignClock, type ForeignClockSettings, type Surroundings } from './foreign-clock.ts';
import { ForeignError } from './foreign-error.ts';
import { runInWorker } from './in-worker.ts';
import type { RecordedForeignNight } from './record-foreign.ts';
import type { ForeignSpec } from './run-module.ts';
import { ForeignTimers } from './timers.ts';

/** Where nothing is under way and nothing is wrong. */
export const STILL: Surroundings = {
  stillness: () => 0,
  underWay: () => 'nothing of ours',
  fault: () => undefined,
  settle: () => false,
};

const SETTINGS: ForeignClockSettings = { epochMs: 1e12, startMs: 0, limitMs: 1e6, quietTurns: 2, patienceMs: 1000 };

/** Runs time until nothing that keeps it going is due. */
export async function simulate(
  begin: (clock: ForeignClock) => void,
  settings: Partial<ForeignClockSettings> = {},
  surroundings: Partial<Surroundings> = {},
): Promise<ForeignClock> {
  const clock = new ForeignClock({ ...SETTINGS, ...settings }, { ...STILL, ...surroundings });
  await new Promise<void>((resolve, reject) => {
    clock.start((error) => {
      const idle = error instanceof ForeignError && error.fault === 'stalled';
      if (error === undefined || idle) resolve();
      else reject(error);
    });
    begin(clock);
  });
  return clock;
}

export type Log = (readonly [atMs: number, what: unknown])[];

/** What happens, and when, until nothing is due. */
export async function logOf(begin: (timers: ForeignTimers, say: (what: unknown) => void) => unknown): Promise<Log> {
  const log: Log = [];
  await simulate((clock) => {
    begin(new ForeignTimers(clock), (what) => log.push([clock.nowMs(), what]));
  });
  return log;
}

/** Timers whose time stands still. */
export const idle = () =>
  new ForeignTimers(new ForeignClock({ epochMs: 0, startMs: 0, limitMs: 1, quietTurns: 1, patienceMs: 1 }, STILL));

/** Path of a file in testdata; tests run from dist. */
export const testdata = (name: string): string => join(ROOT, 'bench/foreign/testdata', name);

/** @param name of a file in testdata, with a query if it reads one */
export function specOf(name: string, changes: Partial<ForeignSpec> = {}): ForeignSpec {
  const [file = '', query] = name.split('?');
  return {
    scenario: smallStorm({ 'task.items': 20 }),
    seed: 1,
    client: file.replace('.mjs', ''),
    module: `${pathToFileURL(testdata(file)).href}${query === undefined ? '' : `?${query}`}`,
    method: 'GET',
    concurrency: 4,
    maxCalls: 5000,
    ...changes,
  };
}

/** A platform that answers each item by a list, and then 200; no limits. */
export function scriptedStorm(
  replies: readonly unknown[],
  changes: Readonly<Record<string, unknown>> = {},
  after: 'ok' | 'last' = 'ok',
): Scenario {
  return smallStorm({
    fitted: [],
    'task.items': 20,
    'platform.latency_ms': [150, 250],
    'platform.gates': [{ gate: 'scripted', replies, after }],
    ...changes,
  });
}

export interface NightAndFiles {
  readonly night: RecordedForeignNight;
  /** Text of every file of its books, by name. */
  readonly files: Readonly<Record<string, string>>;
  /** What verify finds in them. */
  readonly problems: readonly string[];
}

/** One night in a worker thread, with its books. */
export async function nightAndFiles(spec: ForeignSpec): Promise<NightAndFiles> {
  const folder = mkdtempSync(join(tmpdir(), 'storm-foreign-'));
  try {
    const books = join(folder, 'books');
    const night = await runInWorker(spec, books);
    const files = filesBelow(books).map((name) => [name, readFileSync(join(books, name), 'utf8')]);
    const problems: string[] = [];
    const { client, scenario, seed } = spec;
    const summary = { ...summarise(night.night), ...foreignSummary(night) };
    await verifyClient({ folder: books, client, summary, scenario, seed, driven: false }, (file, what) =>
      problems.push(`${file}: ${what}`),
    );
    return { night, files: Object.fromEntries(files), problems };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
