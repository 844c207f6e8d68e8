// A results folder checked from its files alone: nothing is run again, and nothing is believed that can be counted.

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TwoBooks } from '../books/reconcile.ts';
import type { NightSummary } from '../books/summary.ts';
import type { Night } from '../night.ts';
import { NIGHTS_FILE } from '../reproduce/files.ts';
import { reproduceCommand, reproduceSettings } from '../reproduce/series.ts';
import { digest, filesBelow, isForeign, MANIFEST, type Manifest } from '../results-folder/manifest.ts';
import { openManifest } from '../results-folder/open.ts';
import { runCommand } from '../run/experiment.ts';
import { parseScenario } from '../scenario/load.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { SourceFile } from '../scenario/source-file.ts';
import type { Problem } from './compare-text.ts';
import { nightOnFile } from './night-on-file.ts';
import { verifyClient } from './verify-client.ts';
import { verifyComparison } from './verify-comparison.ts';
import { verifyNights } from './verify-nights.ts';
import { verifyReproduction } from './verify-reproduction.ts';
import { verifyServed } from './verify-served.ts';
import { verifyStrategy } from './verify-strategy.ts';
import { summarySchema } from './verify-summary.ts';
import { verifyTuning } from './verify-tuning.ts';

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

/** Commands that leave no books by request, the file that says what came out, and who makes it again. */
const CHOICES = [
  ['storm compare', 'comparison.json', verifyComparison],
  ['storm tune budget', 'tuning.json', verifyTuning],
] as const;

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
  const files = Object.keys(manifest.sha256).length;
  const scenario = await readable('scenario.yaml', problem, () => readScenario(folder, manifest, problem));
  if (manifest.served !== undefined) {
    const served = { ...manifest, served: manifest.served };
    const seen = await readable('summary.json', problem, () =>
      scenario === undefined ? undefined : verifyServed(folder, served, scenario, problem),
    );
    return { files, ...counts, ...seen, problems, problemCount };
  }
  const choice = CHOICES.find(([command]) => manifest.command.startsWith(`${command} `));
  if (choice !== undefined) {
    const [, main, verify] = choice;
    const read = () => (scenario === undefined ? 0 : verify(folder, manifest, scenario, problem));
    counts.nights = (await readable(main, problem, read)) ?? 0;
    return { files, ...counts, problems, problemCount };
  }
  verifyCommand(manifest, problem);
  const summaries = await readable('summary.json', problem, () => readSummaries(folder, manifest, problem));
  const counted = new Map<string, Counted>();
  for (const strategy of manifest.strategies) {
    const summary = summaries?.find((each) => each.strategy === strategy);
    if (summary === undefined || scenario === undefined) {
      problem('summary.json', `says nothing that can be checked of ${strategy}`);
      continue;
    }
    const { seed, driven = false, clock } = manifest;
    const own = join(folder, strategy);
    const verify = () =>
      isForeign(manifest, strategy)
        ? verifyClient({ folder: own, client: strategy, summary, scenario, seed, driven }, problem)
        : verifyStrategy({ folder: own, client: strategy, summary, scenario, seed, onWall: clock === 'wall' }, problem);
    const verified = await readable(strategy, problem, verify);
    counts.requests += verified?.requests ?? 0;
    counts.identities += verified?.identities ?? 0;
    if (verified !== undefined) counted.set(strategy, { summary, books: verified.books });
  }
  if (manifest.nights > 1 || existsSync(join(folder, 'nights.csv'))) {
    counts.nights =
      (await readable('nights.csv', problem, () => verifyNights(folder, manifest, summaries ?? [], problem))) ?? 0;
  }
  if (scenario !== undefined)
    counts.nights +=
      (await readable(NIGHTS_FILE, problem, () => verifySeries(folder, manifest, scenario, counted, problem))) ?? 0;
  return { files, ...counts, problems, problemCount };
}

/** What is on file of a strategy, believed and counted. */
interface Counted {
  readonly summary: NightSummary;
  readonly books: TwoBooks;
}

/** The part that only a reproduction has; returns how many nights it was made of. */
async function verifySeries(
  folder: string,
  manifest: Manifest,
  { task }: Scenario,
  counted: ReadonlyMap<string, Counted>,
  problem: Problem,
): Promise<number> {
  const settings = reproduceSettings(manifest.command);
  // A night that was cut short has figures that say nothing, and no files of them.
  if (settings === undefined || manifest.partial === true) return 0;
  const recorded = async (strategy: string): Promise<Night> => {
    const found = counted.get(strategy);
    if (found === undefined) throw new Error(`without the books of ${strategy} there is nothing to hold it against`);
    return nightOnFile(folder, manifest, found.summary, found.books);
  };
  const nights = { naive: await recorded('naive'), guarded: await recorded('guarded') };
  return verifyReproduction(folder, settings, task, nights, problem);
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

function readSummaries(folder: string, manifest: Manifest, problem: Problem): readonly NightSummary[] {
  const text = readFileSync(join(folder, 'summary.json'), 'utf8');
  const summary = summarySchema.parse(JSON.parse(text));
  for (const name of ['scenario', 'scenario_hash', 'seed', 'clock', 'speed', 'nights', 'partial'] as const) {
    if (summary[name] !== manifest[name])
      problem('summary.json', `${name} is ${summary[name]}, but the manifest says ${manifest[name]}`);
  }
  return summary.strategies as unknown as readonly NightSummary[];
}

/** A command is made of what else the manifest says, and of how many nights a reproduction has. */
function verifyCommand(manifest: Manifest, problem: Problem): void {
  if (manifest.served !== undefined) return;
  if (manifest.strategies.length === 0) problem(MANIFEST, 'names no strategy');
  const nights = reproduceSettings(manifest.command)?.nights;
  const reproduction = manifest.sha256[NIGHTS_FILE] !== undefined;
  if (reproduction !== (nights !== undefined && manifest.partial !== true))
    problem(MANIFEST, `${NIGHTS_FILE} and its command do not go together`);
  if (manifest.driven === true) {
    // The program is the user's: what follows from the manifest is the beginning of its command.
    const begins = `storm drive --scenario scenario.yaml --seed ${manifest.seed} --name ${manifest.strategies[0]} `;
    if (!manifest.command.startsWith(begins)) problem(MANIFEST, `its command does not begin with: ${begins}`);
    return;
  }
  const { seed, speed, band_nights: bandNights = 0 } = manifest;
  const wall = speed === undefined ? undefined : { speed, bandNights };
  const expected = nights === undefined ? runCommand(manifest) : reproduceCommand({ seed, nights, wall });
  if (manifest.command !== expected) {
    problem(MANIFEST, `its command is not the one of its seed, nights, clock and strategies: ${expected}`);
  }
}
