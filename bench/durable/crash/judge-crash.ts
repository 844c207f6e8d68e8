// What a task that was killed must have kept, read off its state and the platform's records.

import { join } from 'node:path';
import { earlierLives } from '../../../clients/durable/earlier-lives.ts';
import type { CallRecord } from '../../../clients/durable/task-store.ts';
import { Platform } from '../../../platform-sim/platform.ts';
import { EXIT_CODES } from '../../cli/exit-codes.ts';
import { InputError } from '../../input-error.ts';
import { loadScenario } from '../../scenario/load.ts';
import { type InterruptedCall, interruptedLedger } from '../interrupted-ledger.ts';
import { type RequestRecord, readRecords, restore } from '../request-records.ts';
import { StateFile } from '../state-file.ts';
import type { CrashedTask, CrashSettings } from './crash-trial.ts';

export interface CrashVerdict {
  readonly done: number;
  readonly calls: number;
  readonly requests: number;
  readonly interrupted: readonly InterruptedCall[];
  /** Promises that were not kept: one line each. */
  readonly broken: readonly string[];
}

export function judgeCrash(settings: CrashSettings, { end, kills, state, records }: CrashedTask): CrashVerdict {
  const file = StateFile.open(state, 'normal');
  try {
    const calls = [...file.calls()];
    const { ended } = earlierLives(file);
    const requests = readRecords(records).records;
    const { interrupted, discrepancies } = interruptedLedger('guarded', calls, requests);
    const done = [...ended].filter(([, reason]) => reason === 'done').map(([item]) => item);
    const killed = file.lives().filter((life) => life.ended === null).length;
    const broken = [
      ...discrepancies,
      ...endingOf(settings, end.code, done.length, calls.length),
      ...askedAgain(calls, requests),
      ...differingBooks(settings, requests),
      // A life that was killed before it wrote that it began is none.
      ...(killed > kills.client
        ? [`${killed} lives never said how they ended, of ${kills.client} that were killed`]
        : []),
      ...(calls.length > settings.calls ? [`${calls.length} calls of a budget of ${settings.calls}`] : []),
      ...(end.code === EXIT_CODES.ok.code || end.code === EXIT_CODES.checkFailed.code ? [] : [end.stderr.trim()]),
    ];
    return { done: done.length, calls: calls.length, requests: requests.length, interrupted, broken };
  } finally {
    file.close();
  }
}

/** All items are done, or the budget is spent to the last call. */
function endingOf({ items, calls: budget }: CrashSettings, code: number | null, done: number, calls: number): string[] {
  if (code === EXIT_CODES.ok.code) return done === items ? [] : [`${items - done} of ${items} items are not done`];
  return calls === budget ? [] : [`ended with code ${code} after ${calls} calls of ${budget}`];
}

/** One platform that was never killed must have answered every request as these processes did, one after the other. */
function differingBooks({ folder, seed }: CrashSettings, requests: readonly RequestRecord[]): string[] {
  const { scenario } = loadScenario(join(folder, 'crash.yaml'));
  try {
    restore(new Platform(scenario.profile, seed), requests);
    return [];
  } catch (error) {
    if (error instanceof InputError) return [`the platform did not go on where it was: ${error.message}`];
    throw error;
  }
}

/** Requests for an item after its success was on record. */
function askedAgain(calls: readonly CallRecord[], requests: readonly RequestRecord[]): string[] {
  const successes = new Map(
    calls.flatMap(({ item, ordinal, settled }) => (settled?.replyClass === 'ok' ? [[item, ordinal] as const] : [])),
  );
  return requests.flatMap(({ item, ordinal }) =>
    ordinal > (successes.get(item ?? 0) ?? Number.POSITIVE_INFINITY)
      ? [`item ${item} was asked for again when it was done`]
      : [],
  );
}
