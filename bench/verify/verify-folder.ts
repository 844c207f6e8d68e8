// A results folder checked from its files alone: nothing is run again, and nothing is believed that can be counted.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { NightSummary } from '../books/summary.ts';
import { digest, filesBelow, MANIFEST, type Manifest } from '../results-folder/manifest.ts';
import { csvRows, numberIn, openManifest, type TextRow } from '../results-folder/open.ts';
import { parseScenario } from '../scenario/load.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { SourceFile } from '../scenario/source-file.ts';
import { type Problem, verifyStrategy } from './verify-strategy.ts';

export interface Verification {
  readonly files: number;
  readonly requests: number;
  readonly identities: number;
  readonly nights: number;
  /** One line each; at most MAX_PROBLEMS of them. */
  readonly problems: readonly string[];
  readonly problemCount: number;
}

const MAX_PROBLEMS = 20;

/** @throws InputError when the folder is none of ours */
export async function verifyFolder(folder: string): Promise<Verification> {
  const manifest = openManifest(folder);
  const problems: string[] = [];
  let problemCount = 0;
  const problem: Problem = (file, what) => {
    problemCount++;
    if (problems.length < MAX_PROBLEMS) problems.push(`${file}: ${what}`);
  };
  verifyDigests(folder, manifest, problem);
  const counts = { requests: 0, identities: 0, nights: 0 };
  const scenario = await readable('scenario.yaml', problem, () => readScenario(folder, manifest, problem));
  const summaries = await readable('summary.json', problem, () => readSummaries(folder));
  for (const strategy of manifest.strategies) {
    const summary = summaries?.find((each) => each.strategy === strategy);
    if (summary === undefined || scenario === undefined) {
      problem('summary.json', `says nothing that can be checked of ${strategy}`);
      continue;
    }
    const { epochMs } = scenario.profile;
    const verify = () => verifyStrategy(join(folder, strategy), strategy, summary, epochMs, problem);
    const verified = await readable(strategy, problem, verify);
    counts.requests += verified?.requests ?? 0;
    counts.identities += verified?.identities ?? 0;
  }
  if (existsSync(join(folder, 'nights.csv'))) {
    counts.nights = (await readable('nights.csv', problem, () => verifyNights(folder, summaries ?? [], problem))) ?? 0;
  }
  return { files: Object.keys(manifest.sha256).length, ...counts, problems, problemCount };
}

/** A file that can not even be read is a problem, not a crash. */
async function readable<T>(file: string, problem: Problem, read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    problem(file, `can not be read: ${error instanceof Error ? error.message.split('\n')[0] : String(error)}`);
    return undefined;
  }
}

function verifyDigests(folder: string, { sha256 }: Manifest, problem: Problem): void {
  const present = new Set(filesBelow(folder));
  for (const [file, expected] of Object.entries(sha256)) {
    if (!present.has(file)) problem(file, 'is missing');
    else if (digest(join(folder, file)) !== expected)
      problem(file, 'is not the file that was written (SHA-256 differs)');
  }
  for (const file of present)
    if (file !== MANIFEST && sha256[file] === undefined) problem(file, 'is not in the manifest');
}

function readScenario(folder: string, manifest: Manifest, problem: Problem): Scenario {
  const { scenario } = parseScenario(SourceFile.read(join(folder, 'scenario.yaml')));
  if (scenario.hash !== manifest.scenario_hash)
    problem('scenario.yaml', 'is not the scenario that the manifest names (hash differs)');
  return scenario;
}

function readSummaries(folder: string): readonly NightSummary[] {
  const text = readFileSync(join(folder, 'summary.json'), 'utf8');
  return (JSON.parse(text) as { strategies: readonly NightSummary[] }).strategies;
}

/** The identities that hold within the figures of one night: a sum on each side. */
const NIGHT_IDENTITIES: readonly (readonly [left: readonly string[], right: readonly string[]])[] = [
  [['calls'], ['billed', 'edge_rejected', 'soft_limited', 'quota_rejected', 'unavailable']],
  [['billed'], ['ok', 'error500', 'error503', 'other']],
];

/** Nights after the first have no books on file: their identities are checked, and the first one against its summary. */
async function verifyNights(folder: string, summaries: readonly NightSummary[], problem: Problem): Promise<number> {
  let nights = 0;
  for await (const row of csvRows(join(folder, 'nights.csv'))) {
    nights++;
    const wrong = (what: string) => problem('nights.csv', `${row.strategy}, seed ${row.seed}: ${what}`);
    for (const [left, right] of NIGHT_IDENTITIES) {
      if (total(row, left) !== total(row, right)) wrong(`${left.join(' + ')} = ${right.join(' + ')} does not hold`);
    }
    const summary = summaries.find(({ strategy }) => strategy === row.strategy);
    if (summary === undefined) wrong('summary.json has no such strategy');
    else verifyNightRow(row, summary, wrong);
  }
  return nights;
}

function verifyNightRow(row: TextRow, summary: NightSummary, wrong: (what: string) => void): void {
  const items = total(row, ['items_done', 'items_abandoned', 'items_unfinished']);
  if (items !== summary.items.total) wrong(`accounts for ${items} items of ${summary.items.total}`);
  if (numberIn(row, 'seed') !== summary.seed) return;
  const { total: calls, ...rest } = summary.calls;
  const waits = Object.values(summary.waits).reduce((sum, { count }) => sum + count, 0);
  const first: Readonly<Record<string, number>> = {
    calls,
    ...rest,
    waits,
    duration_s: summary.duration_s,
    items_done: summary.items.done,
  };
  for (const [column, value] of Object.entries(first)) {
    if (numberIn(row, column) !== value) wrong(`${column} is ${row[column]}, but summary.json says ${value}`);
  }
}

const total = (row: TextRow, columns: readonly string[]): number =>
  columns.reduce((sum, column) => sum + numberIn(row, column), 0);
