// `storm resume`: goes on with what was killed or interrupted: a run of many nights by the name of its results, a durable task by
// its state file.

import { statSync } from 'node:fs';
import type { Argv } from 'yargs';
import { StateFile } from '../../durable/state-file.ts';
import { read } from '../../durable/task-settings.ts';
import { takeUp } from '../../run/kept-run.ts';
import { runOnState } from '../durable-run.ts';
import { runNights, Stopping } from '../nights-run.ts';
import { intOption } from '../options.ts';
import { concludeNights } from './run.ts';

export const command = 'resume <results>';
export const describe = 'Go on with a run of many nights, or a task, that was killed or interrupted';

export const builder = (yargs: Argv) =>
  yargs
    .positional('results', {
      type: 'string',
      demandOption: true,
      describe: 'results folder of the run, whether it is there already or not; or the state file of a task',
    })
    .option('workers', {
      coerce: intOption('--workers', 1, 256),
      describe: 'worker threads of a run; all cores when left out',
    })
    .option('json', { type: 'boolean', default: false, describe: 'print the summary as JSON and nothing else' })
    .example('$0 resume results/storm-night', 'the nights that are missing, as if there had been no break')
    .example('$0 resume sync.state', 'the task of that state file, on the same target');

export interface ResumeOptions {
  readonly results: string;
  readonly workers?: number | undefined;
  readonly json: boolean;
}

export async function handler({ results, workers, json }: ResumeOptions): Promise<void> {
  if (statSync(results, { throwIfNoEntry: false })?.isFile() === true) await resumeTask(results, json);
  else await resumeNights(results.replace(/\/+$/, ''), workers, json);
}

async function resumeTask(path: string, json: boolean): Promise<void> {
  // How it must be written is on file: the state is opened once to read it, by the safer way.
  const state = StateFile.open(path, 'full');
  try {
    const settings = read(state.settings);
    state.sync(settings.run.sync);
    await runOnState(state, settings, json);
  } finally {
    state.close();
  }
}

async function resumeNights(path: string, workers: number | undefined, json: boolean): Promise<void> {
  const stopping = new Stopping(true);
  const { settings, folder, journal } = takeUp(path);
  const ran = await runNights(settings, folder, stopping, { workers }, journal);
  concludeNights(settings, ran, folder, json);
}
