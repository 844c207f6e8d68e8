// A night of which little is kept, because there are thousands of them: its figures, how it ended, and how many items were
// done when so many calls had been sent.

import { ItemSet } from '../../clients/item-set.ts';
import type { StopReason } from '../../clients/stop-reasons.ts';
import { type Figures, figures } from '../books/figures.ts';
import { discrepancies } from '../books/reconcile.ts';
import { type NightObserver, runNight } from '../night.ts';
import type { Scenario } from '../scenario/scenario.ts';

export interface TrialsJob {
  readonly scenario: Scenario;
  readonly strategy: string;
  readonly seeds: readonly number[];
  /** Numbers of calls at which the items done are counted, ascending; counting them makes a night slower. */
  readonly marks: readonly number[];
}

export interface Trial {
  readonly seed: number;
  readonly figures: Figures;
  /** `done` when nothing stopped the task: every item is done, or was abandoned by the strategy's own rules. */
  readonly stopReason: StopReason;
  /** Identities of the books that do not hold. */
  readonly discrepancies: number;
  /** For each mark, the items that so many calls had got done when all replies to them were in. */
  readonly doneAt: readonly number[];
}

export async function runTrial({ scenario, strategy, marks }: Omit<TrialsJob, 'seeds'>, seed: number): Promise<Trial> {
  const counter = marks.length === 0 ? undefined : doneCounter(marks, scenario.task.items);
  const night = await runNight({ scenario, strategy, seed, clock: 'virtual' }, counter?.observer);
  return {
    seed,
    figures: figures(night),
    stopReason: night.stopReason,
    discrepancies: discrepancies(night).length,
    doneAt: counter?.doneAt() ?? [],
  };
}

/** Counts each item once, under the number of the call that got it. */
function doneCounter(marks: readonly number[], items: number): { observer: NightObserver; doneAt(): number[] } {
  const seen = new ItemSet(items);
  const counts = new Array<number>(marks.length).fill(0);
  return {
    observer: {
      verdict: () => undefined,
      client: {
        attempt(ordinal, { replyClass, operation: { item } }) {
          if (replyClass !== 'ok' || seen.has(item)) return;
          seen.add(item);
          const mark = firstNotBelow(marks, ordinal);
          if (mark < marks.length) counts[mark] = (counts[mark] ?? 0) + 1;
        },
        refused: () => undefined,
      },
    },
    doneAt() {
      let sum = 0;
      return counts.map((count) => {
        sum += count;
        return sum;
      });
    },
  };
}

/** Index of the first mark that is not below `value`; their number when all are. */
function firstNotBelow(marks: readonly number[], value: number): number {
  let from = 0;
  let to = marks.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((marks[middle] ?? 0) < value) from = middle + 1;
    else to = middle;
  }
  return from;
}
