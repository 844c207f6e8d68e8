// What a run of many nights keeps as it goes, so that it can be gone on with: which run it is, and the figures of every night that
// ended, a line each. The first night of each strategy, which has books, is not in it: it is run again.

import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIGURE_NAMES, type Figures } from '../books/figures.ts';
import { LineLog, readLines } from '../books/line-log.ts';
import { InputError, inputMistake } from '../input-error.ts';
import type { ClockName } from '../night.ts';
import type { ClientFacts } from '../results-folder/manifest.ts';
import { VERSION } from '../version.ts';

export const JOURNAL = 'journal.jsonl';
/** Holds the number of the process that is at it. */
export const WRITER = 'writer.pid';

/** The first line. */
export interface JournalHead {
  readonly journal: 'storm run';
  readonly version: string;
  readonly node: string;
  readonly scenario_hash: string;
  readonly seed: number;
  readonly clock: ClockName;
  readonly nights: number;
  readonly strategies: readonly string[];
  readonly clients: readonly ClientFacts[];
}

interface NightLine {
  readonly strategy: string;
  readonly seed: number;
  readonly discrepancies: number;
  readonly figures: Partial<Figures>;
}

export interface KeptNight {
  readonly figures: Figures;
  readonly discrepancies: number;
}

export type RunIdentity = Omit<JournalHead, 'journal' | 'version' | 'node'>;

export class NightJournal {
  readonly head: JournalHead;
  /** Whether an earlier process began it. */
  readonly before: boolean;
  readonly #folder: string;
  readonly #log: LineLog<JournalHead | NightLine>;
  readonly #kept = new Map<string, KeptNight[]>();

  private constructor(folder: string, head: JournalHead | undefined) {
    this.#folder = folder;
    this.#log = new LineLog(join(folder, JOURNAL), false);
    const [found, ...lines] = this.#log.before.records;
    this.before = head === undefined;
    if (head !== undefined) this.#log.add(head);
    this.head = head ?? headOf(found, join(folder, JOURNAL));
    for (const line of lines as NightLine[]) this.#keep(line);
    writeFileSync(join(folder, WRITER), String(process.pid));
  }

  static begin(folder: string, identity: RunIdentity): NightJournal {
    return new NightJournal(folder, {
      journal: 'storm run',
      version: VERSION,
      node: process.versions.node,
      ...identity,
    });
  }

  /** @throws InputError when its writer is alive, or this storm would not go on as that one did */
  static goOn(folder: string): NightJournal {
    refuseAlive(folder);
    return new NightJournal(folder, undefined);
  }

  /**
   * Which run a folder holds.
   * @throws InputError as goOn does
   */
  static headIn(folder: string): JournalHead {
    const path = join(folder, JOURNAL);
    refuseAlive(folder);
    return headOf(readLines<JournalHead | NightLine>(path).records[0], path);
  }

  /** The nights of a strategy that have ended, after its first, in the order of their seeds. */
  nights(strategy: string): readonly KeptNight[] {
    return this.#kept.get(strategy) ?? [];
  }

  add(strategy: string, seed: number, { figures, discrepancies }: KeptNight): void {
    this.#log.add({ strategy, seed, discrepancies, figures });
  }

  /** The nights are all there, or are to be shown as they are: nobody writes here any more. */
  close(): void {
    this.#log.close();
    rmSync(join(this.#folder, WRITER), { force: true });
  }

  /** As close, and a run that is whole keeps no journal. */
  end(): void {
    this.close();
    rmSync(join(this.#folder, JOURNAL), { force: true });
  }

  #keep({ strategy, seed, figures, discrepancies }: NightLine): void {
    const own = this.#kept.get(strategy) ?? [];
    const expected = this.head.seed + 1 + own.length;
    if (seed !== expected)
      throw inputMistake(
        join(this.#folder, JOURNAL),
        `seed of ${strategy}`,
        seed,
        `${expected}, the next of its nights`,
      );
    own.push({ figures: whole(figures), discrepancies });
    this.#kept.set(strategy, own);
  }
}

/** JSON leaves out what is undefined. */
function whole(figures: Partial<Figures>): Figures {
  return Object.fromEntries(FIGURE_NAMES.map((name) => [name, figures[name]])) as unknown as Figures;
}

function headOf(line: JournalHead | NightLine | undefined, path: string): JournalHead {
  if (line === undefined || !('journal' in line))
    throw new InputError(`${path}:1: got no head; allowed: the journal of a storm run`);
  const same = line.version === VERSION && line.node === process.versions.node;
  if (!same)
    throw new InputError(
      `${path}:1: got a run of storm ${line.version} on Node ${line.node}; allowed: the same, so that all its nights are alike`,
    );
  return line;
}

function refuseAlive(folder: string): void {
  const writer = join(folder, WRITER);
  const pid = existsSync(writer) ? Number(readFileSync(writer, 'utf8')) : 0;
  if (isAlive(pid))
    throw new InputError(
      `${folder}: process ${pid} is still at it; allowed: a run that was killed (if that is no storm, remove ${writer})`,
    );
}

function isAlive(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It lives, and is somebody else's.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
