// What a night of a reproduction says twice: sums that hold within its own figures and cells, whatever the seed.

import { TABLE_COLUMNS } from '../reproduce/billing-band.ts';
import { BILLING_TABLE, BUDGET_9000, PROGRESS_LINES } from '../reproduce/published.ts';
import { CELL_NAMES, SERIES, type SeriesNight } from '../reproduce/series.ts';

/** Of the scenario: how many items there are, and when the client starts. */
export interface SeriesTask {
  readonly items: number;
  readonly clientStartMs: number;
}

type Check = readonly [name: string, holds: boolean];

/** Identities that do not hold; empty when the night agrees with itself. */
export function contradictions(night: SeriesNight, task: SeriesTask): string[] {
  const names = SERIES[night.client].map(({ name }) => name);
  const of = (name: string): number => night.values[names.indexOf(name)] ?? Number.NaN;
  const checks = {
    naive: () => [...naive(of), ...progress(of), ...table(night, of, task)],
    guarded: () => guarded(of, task),
    'guarded, budget of 9,000': () => budget(of),
  }[night.client]();
  return checks.filter(([, holds]) => !holds).map(([name]) => name);
}

type Of = (name: string) => number;
const LAST = PROGRESS_LINES.at(-1)?.batch ?? 0;

function naive(of: Of): Check[] {
  const limits = of('edge rejected') + of('soft limited');
  return [
    ['calls = billed + quota + edge + soft', of('calls') === of('billed') + of('quota rejected') + limits],
    ['billed = ok + error 500', of('billed') === of('ok') + of('error 500')],
    ['rate 429 seen by the client = edge + soft', of('rate 429 seen by the client') === limits],
    [`batches complete + failed = ${LAST}`, of('batches complete') + of('batches failed') === LAST],
  ];
}

const COUNTS = ['attempts', 'ok', 'limit429', 'quota429', 'error500'] as const;

/** The console counts from the start of the night, so that it only grows, and its last line is the night. */
function progress(of: Of): Check[] {
  const total: Readonly<Record<(typeof COUNTS)[number], string>> = {
    attempts: 'calls',
    ok: 'ok',
    limit429: 'rate 429 seen by the client',
    quota429: 'quota rejected',
    error500: 'error 500',
  };
  const lines = PROGRESS_LINES.map(({ batch }) => batch);
  const at = (batch: number, column: string) => of(`batch ${batch}: ${column}`);
  return [
    ...lines.map((batch): Check => {
      const sum = COUNTS.slice(1).reduce((all, column) => all + at(batch, column), 0);
      return [`batch ${batch}: attempts = ok + limit429 + quota429 + error500`, at(batch, 'attempts') === sum];
    }),
    ...lines.slice(1).flatMap((batch, index) =>
      COUNTS.map((column): Check => {
        const before = at(lines[index] ?? 0, column);
        return [`batch ${batch}: ${column} is no less than before`, at(batch, column) >= before];
      }),
    ),
    ...COUNTS.map(
      (column): Check => [`batch ${LAST}: ${column} = ${total[column]}`, at(LAST, column) === of(total[column])],
    ),
  ];
}

/** Only quota rejections are in no column of a minute, and there are none before the quota is gone. */
function table({ cells }: SeriesNight, of: Of, { clientStartMs }: SeriesTask): Check[] {
  const cell = (minute: number, column: (typeof TABLE_COLUMNS)[number]) =>
    cells[CELL_NAMES.indexOf(`minute ${minute}: ${column}`)] ?? Number.NaN;
  const quotaGone = Math.floor(of('quota gone at, s') / 60);
  // A night that is longer than the table has minutes that the table lacks.
  const whole = (clientStartMs / 1000 + of('duration, s')) / 60 < BILLING_TABLE.length;
  const total = { total: 'calls', billed: 'billed', edge_rejected: 'edge rejected', soft_limited: 'soft limited' };
  return [
    ...BILLING_TABLE.map((_, minute): Check => {
      const quota =
        cell(minute, 'total') - cell(minute, 'billed') - cell(minute, 'edge_rejected') - cell(minute, 'soft_limited');
      return [`minute ${minute}: total = billed + edge + soft + quota`, minute < quotaGone ? quota === 0 : quota >= 0];
    }),
    ...TABLE_COLUMNS.map((column): Check => {
      const sum = BILLING_TABLE.reduce((all, _, minute) => all + cell(minute, column), 0);
      const night = of(total[column]);
      return [`${column} of all minutes = ${total[column]}`, whole ? sum === night : sum <= night];
    }),
  ];
}

function guarded(of: Of, { items }: SeriesTask): Check[] {
  return [
    ['calls = billed + rate 429', of('calls') === of('billed') + of('rate 429 seen by the client')],
    ['edge rejected is no more than rate 429', of('edge rejected') <= of('rate 429 seen by the client')],
    ['items = done + abandoned', of('items done') + of('items abandoned') === items],
  ];
}

function budget(of: Of): Check[] {
  const calls = of('calls');
  const stopped = of('stopped by the budget (1 = yes)');
  return [
    ['calls = calls as the client counts them', calls === of('calls as the client counts them')],
    ['stopped by the budget when it is spent', stopped === (calls === BUDGET_9000.calls ? 1 : 0)],
  ];
}
