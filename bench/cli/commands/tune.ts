// `storm tune`: settings chosen by what they do on many nights. One command for each kind of setting.

import type { Argv } from 'yargs';
import * as budget from './tune-budget.ts';

export const command = 'tune <command>';
export const describe = 'Choose a setting by what it does on many nights';

export const builder = (yargs: Argv) =>
  yargs
    .command(budget)
    .example(
      '$0 tune budget storm-night --line 15000',
      'the smallest budget that suffices, and what a line of your own is worth',
    )
    .demandCommand(1, 1, 'nothing to tune given; allowed: see storm tune --help');

/** Only its commands do something. */
export const handler = (): void => undefined;
