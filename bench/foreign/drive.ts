// `storm drive`, the outer half: starts a whole Node program with simulated time and the platform inside of it, waits for its
// end, and reads what it left.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inputMistake } from '../input-error.ts';
import { DRIVE_VARIABLE, type DriveResult, type DriveSettings } from './drive-job.ts';
import { ForeignError } from './foreign-error.ts';
import { native } from './natives.ts';
import type { RecordedForeignNight } from './record-foreign.ts';

export interface Driven {
  readonly night: RecordedForeignNight;
  /** Exit code of the program, or the signal that ended it. */
  readonly exit: number | string;
}

export interface DriveOptions extends Omit<DriveSettings, 'resultFile'> {
  /** The program and its arguments. */
  readonly command: readonly string[];
  /** Real time after which the program is ended. */
  readonly patienceMs: number;
  /** Folder for what the two tell each other; exists. */
  readonly scratch: string;
}

/** Node's exit code for a program whose top-level await has nothing left to wait for. */
const NEVER_SETTLED = 13;
const OUT_OF_PATIENCE = 'out of patience';
/** Options of node that load code before --import does. */
const EARLIER = /^(-r|--require)(=|$)/;

/** @throws ForeignError when the night can not be trusted, InputError when the program left no books */
export async function drive({ command, patienceMs, scratch, ...settings }: DriveOptions): Promise<Driven> {
  const resultFile = join(scratch, 'result.json');
  const settingsFile = join(scratch, 'settings.json');
  writeFileSync(settingsFile, JSON.stringify({ ...settings, resultFile } satisfies DriveSettings), { flag: 'wx' });
  const preload = new URL('./drive-preload.js', import.meta.url).href;
  // Before whatever else the user preloads, so that this finds simulated timers as well.
  const options = `--import ${preload} ${process.env.NODE_OPTIONS ?? ''}`.trim();
  const env = { ...process.env, NODE_OPTIONS: options, [DRIVE_VARIABLE]: settingsFile };
  const earlier = [...command, ...(env.NODE_OPTIONS ?? '').split(/\s+/)].find((word) => EARLIER.test(word));
  if (earlier !== undefined)
    throw commandMistake([earlier], 'a program without -r or --require, which node loads before time can be simulated');
  const exit = await ended(command, env, patienceMs);
  if (exit === OUT_OF_PATIENCE)
    throw new ForeignError('unresponsive', `the program did not end in ${patienceMs / 1000} s of real time`);
  if (exit === NEVER_SETTLED) throw new ForeignError('stalled', 'the program waits for a promise that never settles');
  if (!existsSync(resultFile))
    throw commandMistake(command, `a Node program, started by node itself (it ended with ${exit} and left no books)`);
  const result = JSON.parse(readFileSync(resultFile, 'utf8')) as DriveResult;
  if (result.kind === 'fault') throw new ForeignError(result.fault, result.message);
  return { night: exit === 0 ? result.night : failed(result.night), exit };
}

/** Whatever its items say: a program that failed is not done. A limit of the night stays the reason. */
function failed(night: RecordedForeignNight): RecordedForeignNight {
  if (night.night.stopReason.endsWith('_limit')) return night;
  return { ...night, night: { ...night.night, stopReason: 'program_failed' } };
}

/** What the program prints goes to stderr, so that stdout stays the tool's. It has no stdin: what comes there comes in real time. */
function ended([program = '', ...args]: readonly string[], env: NodeJS.ProcessEnv, patienceMs: number) {
  return new Promise<number | string>((resolve, reject) => {
    const child = spawn(program, args, { env, stdio: ['ignore', 2, 'inherit'] });
    let outOfPatience = false;
    const timer = native.setTimeout(() => {
      outOfPatience = true;
      child.kill('SIGKILL');
    }, patienceMs);
    child.once('error', (error: NodeJS.ErrnoException) => {
      native.clearTimeout(timer);
      reject(commandMistake([program], `a program that can be started (${error.code})`));
    });
    child.once('exit', (code, signal) => {
      native.clearTimeout(timer);
      resolve(outOfPatience ? OUT_OF_PATIENCE : (signal ?? code ?? 0));
    });
  });
}

const commandMistake = (command: readonly string[], allowed: string) =>
  inputMistake('command line', '--', command.join(' '), allowed);
