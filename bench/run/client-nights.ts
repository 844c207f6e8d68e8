// The nights of a client module beside those of strategies: one worker thread a night, the first with all its books.

import { join } from 'node:path';
import { type Figures, figures } from '../books/figures.ts';
import { type Spread, spread } from '../books/quantiles.ts';
import { discrepancies } from '../books/reconcile.ts';
import type { ClientFile } from '../foreign/client-module.ts';
import type { ForeignMethod } from '../foreign/foreign-night.ts';
import { runInWorker } from '../foreign/in-worker.ts';
import type { RecordedForeignNight } from '../foreign/record-foreign.ts';
import type { ForeignSpec } from '../foreign/run-module.ts';
import type { Night } from '../night.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { Keeping } from './experiment.ts';

export interface ClientSettings {
  readonly file: ClientFile;
  readonly method: ForeignMethod;
  readonly concurrency: number;
  readonly maxCalls: number;
}

/** What summary.json says of a client module besides what it says of a strategy. */
export interface ForeignSummary {
  /** How items ended: `done`, or the error with which the client gave up. */
  readonly endings: Readonly<Record<string, number>>;
  /** Scenario time from asking for an item to having it, ms: median and 99 %; null when none was done. */
  readonly item_ms: { readonly median: number; readonly p99: number } | null;
}

export interface ClientNights {
  readonly night: Night;
  readonly foreign: ForeignSummary;
  readonly perNight: readonly Figures[];
  readonly discrepancies: number;
  /** With which the whole task of the first night gave up. */
  readonly error: string | undefined;
}

export function specOf(client: ClientSettings, scenario: Scenario, seed: number): ForeignSpec {
  const { file, method, concurrency, maxCalls } = client;
  return { scenario, seed, client: file.name, module: file.module, method, concurrency, maxCalls };
}

/** @throws ForeignError when a night can not be trusted */
export async function clientNights(
  client: ClientSettings,
  { scenario, seed, nights }: { readonly scenario: Scenario; readonly seed: number; readonly nights: number },
  draft: string,
  onNight: (nights: number) => void,
  { journal, stopping }: Keeping,
): Promise<ClientNights> {
  const first = await runInWorker(specOf(client, scenario, seed), join(draft, client.file.name));
  const { name } = client.file;
  const kept = journal?.nights(name) ?? [];
  onNight(1 + kept.length);
  const perNight = [figures(first.night), ...kept.map((each) => each.figures)];
  let wrong = kept.reduce((sum, each) => sum + each.discrepancies, wrongIn(first));
  while (perNight.length < nights && !stopping()) {
    const other = seed + perNight.length;
    const recorded = await runInWorker(specOf(client, scenario, other));
    const ended = { figures: figures(recorded.night), discrepancies: wrongIn(recorded) };
    journal?.add(name, other, ended);
    perNight.push(ended.figures);
    wrong += ended.discrepancies;
    onNight(1);
  }
  return { night: first.night, foreign: foreignSummary(first), perNight, discrepancies: wrong, error: first.error };
}

const wrongIn = ({ night, unmatched }: RecordedForeignNight): number => discrepancies(night).length + unmatched;

export function foreignSummary({ endings, itemMs }: Pick<RecordedForeignNight, 'endings' | 'itemMs'>): ForeignSummary {
  const times: Spread | undefined = spread(itemMs, 0.01);
  return { endings, item_ms: times === undefined ? null : { median: times.median, p99: times.high } };
}
