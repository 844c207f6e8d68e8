// The command line `storm`: commands, and how each kind of ending becomes an exit code and one line.

import yargs from 'yargs';
import { TIME_LIMIT } from '../clocks/simulated-clock.ts';
import { StateWriteError } from '../durable/state-error.ts';
import { ForeignError } from '../foreign/foreign-error.ts';
import { InputError, inputMistake } from '../input-error.ts';
import { VERSION } from '../version.ts';
import { codeOf, machineFault, WallFault } from '../wall/wall-fault.ts';
import * as arena from './commands/arena.ts';
import * as compare from './commands/compare.ts';
import * as contestants from './commands/contestants.ts';
import * as drive from './commands/drive.ts';
import * as explain from './commands/explain.ts';
import * as init from './commands/init.ts';
import * as lab from './commands/lab.ts';
import * as presets from './commands/presets.ts';
import * as probe from './commands/probe.ts';
import * as reproduce from './commands/reproduce.ts';
import * as resume from './commands/resume.ts';
import * as run from './commands/run.ts';
import * as schema from './commands/schema.ts';
import * as serve from './commands/serve.ts';
import * as strategies from './commands/strategies.ts';
import * as task from './commands/task.ts';
import * as tune from './commands/tune.ts';
import * as verify from './commands/verify.ts';
import { EXIT_CODES, ExitError } from './exit-codes.ts';
import { interruptible } from './interrupt.ts';
import { mark, note } from './screen.ts';

/** Runs one command line, without the name of the program. Never throws; the result is the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  interruptible();
  try {
    await parser(argv).parseAsync();
    return EXIT_CODES.ok.code;
  } catch (error) {
    return told(error);
  }
}

function parser(argv: readonly string[]) {
  return yargs([...argv])
    .scriptName('storm')
    .usage('$0 <command>\n\nA wind tunnel for retry strategies.')
    .command(reproduce)
    .command(run)
    .command(compare)
    .command(tune)
    .command(arena)
    .command(contestants)
    .command(drive)
    .command(init)
    .command(explain)
    .command(verify)
    .command(lab)
    .command(probe)
    .command(task)
    .command(resume)
    .command(serve)
    .command(presets)
    .command(strategies)
    .command(schema)
    .example('$0 reproduce', 'the published storm night, figure by figure')
    .example('$0 run storm-night --nights 1000', 'a thousand nights of each strategy')
    .demandCommand(1, 1, 'no command given; allowed: see storm --help', 'more than one command given; allowed: one')
    .strict()
    .check((given) => onceEach(given))
    .version(VERSION)
    .help()
    .wrap(100)
    .exitProcess(false)
    .fail((message: string | undefined, error: Error | undefined) => {
      // A mistake in an option reaches this place as text, or wrapped by the library; a failure of ours as it was thrown.
      if (error !== undefined && error.name !== 'YError') throw error;
      throw new InputError(oneLine(message ?? error?.message ?? 'not understood'));
    });
}

/** Options that may be given more than once. */
const LISTS = new Set([
  'line',
  '_',
  '--',
  'strategy',
  'client',
  'host',
  'header-env',
  'headerEnv',
  'contestant',
  'scenarios',
]);

/** Of an option that says one thing, two are a mistake and not the last one. */
function onceEach(given: Readonly<Record<string, unknown>>): true {
  for (const [name, value] of Object.entries(given)) {
    if (Array.isArray(value) && !LISTS.has(name))
      throw inputMistake('command line', `--${name}`, value, 'the option once');
  }
  return true;
}

function oneLine(message: string): string {
  const text = message.replace(/\s*\n\s*/g, ' ').trim();
  return text.startsWith('command line: ') ? text : `command line: ${text}`;
}

function told(error: unknown): number {
  if (error instanceof InputError) {
    note(error.message);
    return EXIT_CODES.badInput.code;
  }
  if (error instanceof Error && error.message.startsWith(TIME_LIMIT)) {
    note(`limits.scenario_time_s: ${error.message}; allowed: a limit that the night ends in`);
    return EXIT_CODES.badInput.code;
  }
  if (error instanceof ForeignError) {
    note(mark.bad(`the night can not be simulated: ${error.message}`));
    return EXIT_CODES.notSimulated.code;
  }
  if (error instanceof ExitError) {
    note(mark.bad(error.message));
    return EXIT_CODES[error.exit].code;
  }
  const refused =
    error instanceof WallFault || error instanceof StateWriteError ? error.message : machineFault(codeOf(error));
  if (refused !== undefined) {
    note(mark.bad(refused));
    return EXIT_CODES.failure.code;
  }
  note(error instanceof Error ? (error.stack ?? error.message) : String(error));
  return EXIT_CODES.failure.code;
}
