// `storm resume`: goes on with what was killed or interrupted, a durable task by its state file.

import type { Argv } from 'yargs';
import { StateFile } from '../../durable/state-file.ts';
import { read } from '../../durable/task-settings.ts';
import { runOnState } from '../durable-run.ts';

export const command = 'resume <results>';
export const describe = 'Go on with a task that was killed or interrupted';

export const builder = (yargs: Argv) =>
  yargs
    .positional('results', { type: 'string', demandOption: true, describe: 'state file of a task' })
    .option('json', { type: 'boolean', default: false, describe: 'print the report as JSON and nothing else' })
    .example('$0 resume sync.state', 'the task of that state file, on the same target');

export interface ResumeOptions {
  readonly results: string;
  readonly json: boolean;
}

export async function handler({ results, json }: ResumeOptions): Promise<void> {
  await resumeTask(results, json);
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
