// A run of many nights that can be gone on with: its draft holds the scenario and the journal from the start, and is found again by
// the name that its results were to have.

import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { clientFile } from '../foreign/client-module.ts';
import { InputError, inputMistake } from '../input-error.ts';
import { type ClientFacts, MANIFEST } from '../results-folder/manifest.ts';
import { openManifest } from '../results-folder/open.ts';
import { ResultFolder } from '../results-folder/result-folder.ts';
import { parseScenario } from '../scenario/load.ts';
import { SourceFile } from '../scenario/source-file.ts';
import type { ClientSettings } from './client-nights.ts';
import { clientFacts, type ExperimentSettings, SCENARIO } from './experiment.ts';
import { JOURNAL, NightJournal, WRITER } from './night-journal.ts';

export interface KeptRun {
  readonly settings: ExperimentSettings;
  readonly folder: ResultFolder;
  readonly journal: NightJournal;
}

/** From here on the draft outlives the process. */
export function keep(settings: ExperimentSettings, folder: ResultFolder): NightJournal {
  const { loaded, seed, clock, nights, strategies, clients = [] } = settings;
  writeFileSync(join(folder.draft, SCENARIO), loaded.text);
  const facts = clients.map(clientFacts);
  const identity = { scenario_hash: loaded.scenario.hash, seed, clock, nights, strategies, clients: facts };
  const journal = NightJournal.begin(folder.draft, identity);
  folder.keep();
  return journal;
}

/**
 * Finds a run that was killed or interrupted, and takes its place.
 * @param path of its results, or of the draft itself
 * @throws InputError when there is none, or it can not be gone on with
 */
export function takeUp(path: string): KeptRun {
  const found = find(path);
  // All that may speak against it comes before the first change.
  const settings = settingsOf(found);
  const draft = found === path && existsSync(join(path, MANIFEST)) ? demoted(path) : found;
  const folder = new ResultFolder(resultsOf(draft), draft);
  const journal = NightJournal.goOn(draft);
  for (const name of readdirSync(draft))
    if (!KEPT.has(name)) rmSync(join(draft, name), { recursive: true, force: true });
  return { settings, folder, journal };
}

/** What of a draft is not made again. */
const KEPT: ReadonlySet<string> = new Set([JOURNAL, SCENARIO, WRITER]);

const DRAFT = /^\.(.+)\.draft-[^.]+$/;

/** The name that the results of a draft are to have. */
function resultsOf(draft: string): string {
  const [, name] = DRAFT.exec(basename(draft)) ?? [];
  if (name === undefined)
    throw inputMistake('command line', '<results>', draft, 'a draft by the name that storm gave it');
  return join(dirname(draft), name);
}

/** The folder that holds the journal: a draft, or partial results. */
function find(path: string): string {
  if (existsSync(join(path, MANIFEST))) {
    const { partial, clock, command } = openManifest(path);
    if (partial !== true) throw inputMistake('command line', '<results>', path, 'partial results; these are whole');
    if (clock === 'wall')
      throw new InputError(
        `${path}: a night on real time can not be gone on with; allowed: to run it again: ${command}`,
      );
    return path;
  }
  if (existsSync(join(path, JOURNAL))) return path;
  const parent = dirname(path);
  const drafts = (existsSync(parent) ? readdirSync(parent) : [])
    .filter((name) => DRAFT.exec(name)?.[1] === basename(path) && existsSync(join(parent, name, JOURNAL)))
    .map((name) => join(parent, name));
  const [only, ...others] = drafts;
  if (only === undefined)
    throw inputMistake(
      'command line',
      '<results>',
      path,
      'a state file, partial results, or the name of a run that was killed',
    );
  if (others.length > 0) throw inputMistake('command line', '<results>', path, `one of ${drafts.join(', ')}`);
  return only;
}

function settingsOf(folder: string): ExperimentSettings {
  const { scenario_hash, seed, clock, nights, strategies, clients } = NightJournal.headIn(folder);
  const loaded = parseScenario(SourceFile.read(join(folder, SCENARIO)));
  if (loaded.scenario.hash !== scenario_hash)
    throw new InputError(
      `${join(folder, SCENARIO)}: is not the scenario of this run; allowed: the file as it was written`,
    );
  return { loaded, seed, clock, nights, strategies, clients: clients.map(clientAgain) };
}

/** The same module, which must not have changed between two of its nights. */
function clientAgain({ path, sha256, method, concurrency, max_calls: maxCalls }: ClientFacts): ClientSettings {
  const file = clientFile(path);
  if (file.sha256 !== sha256)
    throw inputMistake('command line', '<results>', path, 'the client as it was when the run began');
  return { file, method, concurrency, maxCalls };
}

/** Partial results become a draft again, in one step: a kill while they are gone on with loses nothing. */
function demoted(path: string): string {
  const draft = join(dirname(path), `.${basename(path)}.draft-${randomBytes(3).toString('hex')}`);
  renameSync(path, draft);
  return draft;
}
