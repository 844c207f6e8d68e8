// The options of the wall clock, for every command that has it, and what is a mistake with them or without it.

import type { Argv } from 'yargs';
import { inputMistake } from '../input-error.ts';
import type { WallSettings, Watch } from '../run/wall-experiment.ts';
import { drainOnInterrupt } from './interrupt.ts';
import { intOption, numberOption } from './options.ts';
import { showWallRun } from './wall-progress.ts';

/** Beyond it a shortest reply of the storm night is an event-loop turn of an idle machine. */
const MAX_SPEED = 1000;

export const wallOptions = <T>(yargs: Argv<T>) =>
  yargs
    .option('speed', {
      coerce: numberOption('--speed', 0.1, MAX_SPEED),
      describe: 'with --clock wall: scenario time in a unit of real time; 1 when left out',
    })
    .option('band-nights', {
      coerce: intOption('--band-nights', 0, 100_000),
      describe: 'with --clock wall: virtual nights to hold the minutes against, 0 for none; 200 when left out',
    })
    .option('progress-every', {
      coerce: intOption('--progress-every', 1, 86_400),
      describe: 'with --clock wall: seconds between two lines of progress in a pipe; 30 when left out',
    })
    .option('quiet', { type: 'boolean', default: false, describe: 'no progress' });

export interface WallOptions {
  readonly clock: string;
  readonly speed?: number | undefined;
  readonly bandNights?: number | undefined;
  readonly progressEvery?: number | undefined;
  readonly quiet: boolean;
}

const BAND_NIGHTS = 200;
const PROGRESS_EVERY_S = 30;

/** Undefined on another clock, for which the options of this one are mistakes. */
export function wallSettings({ clock, speed, bandNights, progressEvery }: WallOptions): WallSettings | undefined {
  if (clock === 'wall') return { speed: speed ?? 1, bandNights: bandNights ?? BAND_NIGHTS };
  const given = Object.entries({ '--speed': speed, '--band-nights': bandNights, '--progress-every': progressEvery });
  for (const [name, value] of given)
    if (value !== undefined) throw inputMistake('command line', name, value, 'with --clock wall');
  return undefined;
}

/** Shows a run while it lasts, and drains it on an interrupt. */
export function watchRun({ quiet, progressEvery }: WallOptions): Watch {
  return (run) => {
    const hide = showWallRun(run, { quiet, everyS: progressEvery ?? PROGRESS_EVERY_S });
    const forget = drainOnInterrupt(() => run.drain());
    return () => {
      hide();
      forget();
    };
  };
}
