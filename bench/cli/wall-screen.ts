// What nights on real time say of themselves on the screen, and how the command ends when they are not to be trusted.

import type { StrategyResult } from '../run/experiment.ts';
import { ExitError } from './exit-codes.ts';
import { line, mark } from './screen.ts';

export function printWall(results: readonly StrategyResult[]): void {
  for (const { strategy, wall } of results) {
    if (wall === undefined) continue;
    const { real_time, faithfulness, void_because = [] } = wall;
    const { loop_delay_ms, slip } = real_time;
    line(
      `${strategy}: event loop late by ${loop_delay_ms} ms of scenario time (99 %), attempts longer by ${percent(slip)}`,
    );
    for (const why of real_time.warnings) line(`${mark.bad('warning')}: ${strategy}: ${why}`);
    if (faithfulness !== undefined) {
      const { outside, cells, nights } = faithfulness;
      const share = outside.length === 0 ? mark.good('none') : mark.bad(String(outside.length));
      line(`${strategy}: ${share} of ${cells} minute cells outside the band of ${nights} virtual nights`);
    }
    for (const why of void_because) line(`${mark.bad('VOID')}: ${strategy}: ${why}`);
  }
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** @throws ExitError when the run was interrupted or is void; whether books balance was looked at before */
export function concludeWall(results: readonly StrategyResult[], partial: boolean, shown: string): void {
  if (partial) throw new ExitError('interrupted', `interrupted: partial results in ${shown}`);
  const voided = results.filter(({ wall }) => wall?.void === true).map(({ strategy }) => strategy);
  if (voided.length > 0)
    throw new ExitError(
      'checkFailed',
      `void: this machine could not keep the time of ${voided.join(', ')}; a smaller --speed may`,
    );
}
