// What summary.json says of how the items of foreign code ended and of how long they took, held against what can be counted.

import { OUTCOMES } from '../../clients/outcome.ts';
import { spread } from '../books/quantiles.ts';
import type { NightSummary } from '../books/summary.ts';
import type { ForeignSummary } from '../run/client-nights.ts';

/**
 * One line for each thing that does not follow.
 * @param driven whether it is a whole program; of a module it is found out whether it is a whole task
 * @param itemMs of each item that was had, from its first request to its first success
 */
export function endingDifferences(
  summary: NightSummary & Partial<ForeignSummary>,
  driven: boolean,
  itemMs: readonly number[],
): string[] {
  const { endings, item_ms: said } = summary;
  if (endings === undefined || said === undefined) return ['says nothing of endings and item_ms'];
  const whole = driven || endsAsOperations(summary, endings);
  const wrong: string[] = [];
  if (whole ? !endsAsOperations(summary, endings) : !endsAsItems(summary, endings))
    wrong.push(`endings are ${JSON.stringify(endings)}, which are not those of its items and operations`);
  if ((said === null) !== (summary.items.done === 0))
    wrong.push(`item_ms is ${JSON.stringify(said)} of ${summary.items.done} items`);
  // How long a function for one item takes, only the function knows: it may wait before its first request.
  const times = spread(itemMs, 0.01);
  const made = times === undefined ? null : { median: times.median, p99: times.high };
  if (whole && JSON.stringify(said) !== JSON.stringify(made))
    wrong.push(`item_ms is ${JSON.stringify(said)}, but the requests make it ${JSON.stringify(made)}`);
  return wrong;
}

type Endings = Readonly<Record<string, number>>;

/** Of a whole task or program, whose requests say what became of each thing that it asked for. */
function endsAsOperations({ operations }: NightSummary, endings: Endings): boolean {
  const known = OUTCOMES.filter((name) => operations[name] > 0);
  return known.length === Object.keys(endings).length && known.every((name) => endings[name] === operations[name]);
}

/** Of a function for one item: `done`, or the error with which it was given up. */
function endsAsItems({ items }: NightSummary, endings: Endings): boolean {
  const all = Object.values(endings).reduce((sum, count) => sum + count, 0);
  return (endings.done ?? 0) === items.done && all === items.done + items.abandoned;
}
