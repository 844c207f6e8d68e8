// Nights on simulated time on the command line: run, or gone on with, into a results folder that is whole, or partial after an
// interrupt, or left to be gone on with.

import type { ResultFolder } from '../results-folder/result-folder.ts';
import {
  commandOf,
  type Experiment,
  type ExperimentSettings,
  runExperiment,
  sealExperiment,
} from '../run/experiment.ts';
import { keep } from '../run/kept-run.ts';
import type { NightJournal } from '../run/night-journal.ts';
import { NightPool } from '../run/night-pool.ts';
import { ExitError } from './exit-codes.ts';
import { drainOnInterrupt } from './interrupt.ts';
import { note, progress } from './screen.ts';

/** An interrupt asks for it; what is under way is waited for. */
export class Stopping {
  #asked = false;
  readonly #forget: () => void;

  /** @param drains whether there is anything to keep when the first interrupt comes */
  constructor(drains: boolean) {
    this.#forget = drainOnInterrupt(() => {
      this.#asked = true;
      return drains;
    });
  }

  readonly asked = (): boolean => this.#asked;

  over(): void {
    this.#forget();
  }
}

/** @param journal of a run that is gone on with; a run of many nights begins one */
export async function runNights(
  settings: ExperimentSettings,
  folder: ResultFolder,
  stopping: Stopping,
  { workers, quiet = false }: { readonly workers?: number | undefined; readonly quiet?: boolean },
  journal?: NightJournal,
): Promise<Experiment> {
  const { nights, strategies, clients = [] } = settings;
  const kept = journal ?? (nights > 1 ? keep(settings, folder) : undefined);
  const pool = new NightPool(workers);
  const bar = progress('nights', nights * (strategies.length + clients.length), quiet);
  try {
    const keeping = { journal: kept, stopping: stopping.asked };
    const ran = await runExperiment(settings, pool, folder.draft, bar.step, keeping);
    // Partial results keep their journal, to be gone on with; whole ones are as if there had been none.
    if (ran.partial) kept?.close();
    else kept?.end();
    sealExperiment(settings, folder.draft, commandOf(settings), ran.partial);
    folder.commit();
    return ran;
  } catch (error) {
    leave(folder, kept, error);
    throw error;
  } finally {
    bar.stop();
    await pool.close();
    stopping.over();
    folder.discard();
  }
}

/** A night that can not be run fails again; what the machine refuses today it may give tomorrow. */
function leave(folder: ResultFolder, journal: NightJournal | undefined, error: unknown): void {
  if (journal === undefined) return;
  journal.close();
  const ofTheMachine = typeof (error as { readonly code?: unknown }).code === 'string';
  if (ofTheMachine || journal.before) note(`what is there is kept: storm resume ${folder.shown} goes on`);
  else folder.abandon();
}

/** @throws ExitError for partial results */
export function concludePartial({ partial }: Experiment, shown: string): void {
  if (partial) throw new ExitError('interrupted', `partial: storm resume ${shown} runs the nights that are missing`);
}
