// A process that is there to be killed: started, read from, and ended without a word.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { WallClock } from '../../clocks/wall-clock.ts';

/** Output kept: enough for a report or an error. */
const MAX_OUTPUT = 1_000_000;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class Child {
  readonly #process: ChildProcess;
  /** Resolves when it has ended and its output is read. */
  readonly ended: Promise<Ended>;
  readonly #output = { stdout: '', stderr: '' };
  #over = false;

  constructor(args: readonly string[], cwd: string, command = process.execPath) {
    const env = { ...process.env, NO_COLOR: '1' };
    this.#process = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    for (const name of ['stdout', 'stderr'] as const) {
      this.#process[name]?.on('data', (chunk: Buffer) => {
        if (this.#output[name].length < MAX_OUTPUT) this.#output[name] += chunk.toString('utf8');
      });
    }
    this.ended = once(this.#process, 'close').then(([code, signal]) => {
      this.#over = true;
      return { code: code as number | null, signal: signal as NodeJS.Signals | null, ...this.#output };
    });
  }

  /** What it has said so far. */
  get said(): { readonly stdout: string; readonly stderr: string } {
    return this.#output;
  }

  signal(signal: NodeJS.Signals): void {
    this.#process.kill(signal);
  }

  get over(): boolean {
    return this.#over;
  }

  /** SIGKILL: nothing is flushed, closed or said. */
  async kill(): Promise<Ended> {
    this.#process.kill('SIGKILL');
    return this.ended;
  }

  /** The first line of its output, once it is whole. */
  async firstLine(): Promise<string> {
    const clock = new WallClock();
    while (!this.#output.stdout.includes('\n')) {
      if (this.#over) throw new Error(`it ended before it said anything: ${this.#output.stderr}`);
      await clock.sleep(5);
    }
    return this.#output.stdout.split('\n')[0] ?? '';
  }
}
