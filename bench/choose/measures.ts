// What strategies are compared by: a number of each night, and which way is better.

import type { Figures } from '../books/figures.ts';
import type { Price } from '../scenario/scenario.ts';

export const MEASURES = ['billed_per_done', 'calls', 'billed', 'cost', 'items_done', 'duration_s'] as const;
export type Measure = (typeof MEASURES)[number];

/** Of every other measure less is better. */
export const moreIsBetter = (measure: Measure): boolean => measure === 'items_done';

/** A cost needs a price. */
export function measuresOf(price: Price | undefined): readonly Measure[] {
  return MEASURES.filter((measure) => measure !== 'cost' || price !== undefined);
}

export function measured(figures: Figures, measure: Measure, price: Price | undefined): number {
  switch (measure) {
    case 'billed_per_done':
      // A night that gets nothing done is as dear as one that gets one item done; anything else would be infinite.
      return figures.billed / Math.max(1, figures.items_done);
    case 'cost':
      return figures.billed * (price?.perCall ?? 0);
    default:
      return figures[measure];
  }
}
