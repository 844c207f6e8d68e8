// Which figure of a night stands for which published one, and how far a series of nights lets it swing.

import { REPLY_CLASSES, type ReplyClass } from '../../clients/policy.ts';
import type { Progress } from '../../clients/task.ts';
import { figures } from '../books/figures.ts';
import { type Spread, spread } from '../books/quantiles.ts';
import type { Night } from '../night.ts';
import { BUDGET_9000, GUARDED, NAIVE, PROGRESS_LINES, type Published } from './published.ts';

export interface PublishedFigure {
  readonly name: string;
  readonly published: Published;
  /** Undefined when the night has no such figure. */
  readonly of: (night: Night) => number | undefined;
}

const received = (night: Night, replyClass: ReplyClass): number =>
  night.client.minutes.reduce((sum, minute) => sum + minute[replyClass], 0);
const batches = (night: Night, complete: boolean): number =>
  night.client.progress.filter((line) => line.complete === complete).length;

export const NAIVE_FIGURES: readonly PublishedFigure[] = [
  { name: 'calls', published: NAIVE.calls, of: (night) => figures(night).calls },
  { name: 'billed', published: NAIVE.billed, of: (night) => figures(night).billed },
  { name: 'quota rejected', published: NAIVE.quotaRejected, of: (night) => figures(night).quota_rejected },
  { name: 'edge rejected', published: NAIVE.edgeRejected, of: (night) => figures(night).edge_rejected },
  { name: 'soft limited', published: NAIVE.softLimited, of: (night) => figures(night).soft_limited },
  { name: 'ok', published: NAIVE.ok, of: (night) => figures(night).ok },
  { name: 'error 500', published: NAIVE.error500, of: (night) => figures(night).error500 },
  { name: 'rate 429 seen by the client', published: NAIVE.limit429, of: (night) => received(night, 'limit429') },
  { name: 'quota gone at, s', published: NAIVE.quotaGoneS, of: (night) => figures(night).quota_gone_s },
  { name: 'items done', published: NAIVE.itemsDone, of: (night) => figures(night).items_done },
  { name: 'duration, s', published: NAIVE.durationS, of: (night) => figures(night).duration_s },
  { name: 'batches complete', published: NAIVE.batchesComplete, of: (night) => batches(night, true) },
  { name: 'batches failed', published: NAIVE.batchesFailed, of: (night) => batches(night, false) },
];

const LINE_COLUMNS = [
  'passes',
  'attempts',
  'ok',
  'limit429',
  'quota429',
  'error500',
] as const satisfies readonly (keyof Progress)[];

export const PROGRESS_FIGURES: readonly PublishedFigure[] = PROGRESS_LINES.flatMap((line) =>
  LINE_COLUMNS.map((column) => ({
    name: `batch ${line.batch}: ${column}`,
    published: line[column],
    of: (night: Night) => night.client.progress.find(({ batch }) => batch === line.batch)?.[column],
  })),
);

export const GUARDED_FIGURES: readonly PublishedFigure[] = [
  { name: 'calls', published: GUARDED.calls, of: (night) => figures(night).calls },
  { name: 'billed', published: GUARDED.billed, of: (night) => figures(night).billed },
  { name: 'rate 429 seen by the client', published: GUARDED.limit429, of: (night) => received(night, 'limit429') },
  { name: 'edge rejected', published: GUARDED.edgeRejected, of: (night) => figures(night).edge_rejected },
  { name: 'items done', published: GUARDED.itemsDone, of: (night) => figures(night).items_done },
  { name: 'items abandoned', published: GUARDED.itemsAbandoned, of: (night) => figures(night).items_abandoned },
  { name: 'duration, s', published: GUARDED.durationS, of: (night) => figures(night).duration_s },
  { name: 'planned waits', published: GUARDED.plannedWaits, of: (night) => figures(night).waits },
];

export const BUDGET_FIGURES: readonly PublishedFigure[] = [
  { name: 'calls', published: BUDGET_9000.calls, of: (night) => figures(night).calls },
  {
    name: 'calls as the client counts them',
    published: BUDGET_9000.calls,
    of: (night) => REPLY_CLASSES.reduce((sum, replyClass) => sum + received(night, replyClass), 0),
  },
  {
    name: 'stopped by the budget (1 = yes)',
    published: 1,
    of: (night) => (night.stopReason === 'budget_exceeded' ? 1 : 0),
  },
  { name: 'items done', published: BUDGET_9000.itemsDone, of: (night) => figures(night).items_done },
];

/** One line of the comparison. */
export interface ComparedFigure {
  readonly name: string;
  readonly published: Published;
  readonly thisNight: number | undefined;
  readonly spread: Spread | undefined;
  readonly inside: boolean;
}

/** Collects the figures of a series of nights; values come in the order of the figures. */
export class FigureFold {
  readonly #figures: readonly PublishedFigure[];
  readonly #values: number[][];

  constructor(wanted: readonly PublishedFigure[]) {
    this.#figures = wanted;
    this.#values = wanted.map(() => []);
  }

  add(values: readonly (number | undefined)[]): void {
    values.forEach((value, index) => {
      if (value !== undefined) this.#values[index]?.push(value);
    });
  }

  /** The figures of the night on record and their published twins against the band of the series. */
  compare(here: readonly (number | undefined)[]): ComparedFigure[] {
    return this.#figures.map(({ name, published }, index) => {
      const band = spread(this.#values[index] ?? []);
      return {
        name,
        published,
        thisNight: here[index],
        spread: band,
        inside: band !== undefined && meets(published, band),
      };
    });
  }
}

/** A number lies in the band; a range meets it. */
export function meets(published: Published, { low, high }: Pick<Spread, 'low' | 'high'>): boolean {
  const [from, to] = typeof published === 'number' ? [published, published] : published;
  return from <= high && to >= low;
}
