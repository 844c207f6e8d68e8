// `storm serve` in a process of its own, for the programs and tests that send it requests.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

export interface ServedProcess {
  readonly origin: string;
  readonly token: string;
  readonly child: ChildProcess;
  /** Asks it to stop by its control endpoint, and waits for its end. */
  stop(): Promise<EndedProcess>;
  /** Waits for its end, whoever brings it about. */
  ended(): Promise<EndedProcess>;
  /** Ends it at once; nothing happens when it has ended already. */
  kill(): void;
}

export interface EndedProcess {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const STORM = fileURLToPath(new URL('../../../scripts/storm.mjs', import.meta.url));

/** @param options of `storm serve` */
export async function startServed(options: readonly string[], cwd?: string): Promise<ServedProcess> {
  const token = randomBytes(16).toString('hex');
  const env = { ...process.env, NO_COLOR: '1', STORM_TOKEN: token };
  const child = spawn(process.execPath, [STORM, 'serve', ...options], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const end = once(child, 'close').then(([code]) => ({ code: code as number | null, stdout, stderr }));
  const origin = await new Promise<string>((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text;
      const [first = '', ...more] = stdout.split('\n');
      if (more.length > 0) resolve(first);
    });
    end.then(() => reject(new Error(`storm serve ended: ${stderr}`)), reject);
  });
  const stop = async () => {
    await fetch(`${origin}/_storm/stop`, { method: 'POST', headers: { authorization: `Bearer ${token}` } });
    return end;
  };
  return { origin, token, child, stop, ended: () => end, kill: () => child.kill('SIGKILL') };
}
