// A results folder, written whole or not at all: files go into a temporary folder beside it, which is renamed when all of
// them are there. A name that exists is refused, and an interrupted run takes its temporary folder away.

import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { inputMistake } from '../input-error.ts';

const unfinished = new Set<string>();
/** Folders made on the way to a results folder; they go with it when it does not come to be. */
const madeParents: string[] = [];

/** A folder that is taken away with the drafts when the program is interrupted. */
export function temporaryFolder(prefix: string): string {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  unfinished.add(folder);
  return folder;
}

export function removeTemporary(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  unfinished.delete(folder);
}

/** Writes files by their names, none of which may exist yet. */
export function writeFiles(folder: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text, { flag: 'wx' });
}

export class ResultFolder {
  /** Where it will be. */
  readonly path: string;
  /** The same as a user would type it. */
  readonly shown: string;
  /** Where to write meanwhile. */
  readonly draft: string;

  #kept = false;

  /**
   * @param draft one that is there already; a new one when left out
   * @throws InputError when the name is taken or the place can not be written
   */
  constructor(path: string, draft?: string) {
    this.path = resolve(path);
    this.shown = path;
    if (existsSync(this.path)) throw inputMistake('command line', '--out', path, 'a name that does not exist yet');
    if (draft !== undefined) {
      this.draft = resolve(draft);
      this.#kept = true;
      return;
    }
    const parent = dirname(this.path);
    try {
      makeFolders(parent);
      accessSync(parent, constants.W_OK);
      this.draft = mkdtempSync(join(parent, `.${basename(this.path)}.draft-`));
    } catch (error) {
      removeMadeParents();
      const code = (error as NodeJS.ErrnoException).code ?? 'unknown error';
      throw inputMistake('command line', '--out', path, `a place that can be written (this one: ${code})`);
    }
    unfinished.add(this.draft);
  }

  /** Puts the folder in its place, in one step. */
  commit(): void {
    if (existsSync(this.path)) throw inputMistake('command line', '--out', this.path, 'a name that does not exist yet');
    renameSync(this.draft, this.path);
    unfinished.delete(this.draft);
    madeParents.length = 0;
  }

  /** The draft can be gone on with: it stays when the process ends, however it does. */
  keep(): void {
    this.#kept = true;
    unfinished.delete(this.draft);
    madeParents.length = 0;
  }

  /** It can not be gone on with after all. */
  abandon(): void {
    this.#kept = false;
  }

  /** Takes the draft away, unless it was committed or is kept. */
  discard(): void {
    if (this.#kept) return;
    removeTemporary(this.draft);
    removeMadeParents();
  }
}

/** Not mkdir's own `recursive`, which never returns for a path below /proc. */
function makeFolders(path: string): void {
  if (existsSync(path)) return;
  makeFolders(dirname(path));
  mkdirSync(path);
  madeParents.push(path);
}

/** For an interrupt: takes every draft away. */
export function discardDrafts(): void {
  for (const draft of unfinished) rmSync(draft, { recursive: true, force: true });
  unfinished.clear();
  removeMadeParents();
}

/** Innermost first; one that holds something by now stays. */
function removeMadeParents(): void {
  for (const folder of madeParents.splice(0).reverse()) {
    if (existsSync(folder) && readdirSync(folder).length === 0) rmdirSync(folder);
  }
}

/** Numbers tried for a free name. */
const MAX_NUMBER = 10_000;

/** `results/<name>`, or `results/<name>-2`, `-3`, …: the first that does not exist. */
export function freeResultsPath(name: string): string {
  for (let number = 1; number <= MAX_NUMBER; number++) {
    const path = join('results', number === 1 ? name : `${name}-${number}`);
    if (!existsSync(path)) return path;
  }
  throw inputMistake('command line', '--out', name, `a name of which fewer than ${MAX_NUMBER} exist in results/`);
}
