// Runs a foreign night in a worker thread of its own and ends the thread with it; a thread that does not answer is ended too,
// and named. Output of the client goes to stderr, so that stdout stays the tool's.

import { Worker } from 'node:worker_threads';
import { InputError } from '../input-error.ts';
import { clientMistake, textOf } from './client-mistake.ts';
import { ForeignError } from './foreign-error.ts';
import { native } from './natives.ts';
import type { RecordedForeignNight } from './record-foreign.ts';
import type { ForeignSpec } from './run-module.ts';
import type { ForeignJob, ForeignMessage } from './worker.ts';

/** Real time without a turn of the event loop after which a thread is ended. */
const SILENCE_MS = 120_000;

/** @throws ForeignError when the night can not be trusted; InputError when the client's module fails */
export function runInWorker(
  spec: ForeignSpec,
  recordInto?: string,
  silenceMs = SILENCE_MS,
): Promise<RecordedForeignNight> {
  const heart = new SharedArrayBuffer(4);
  const workerData: ForeignJob = { spec, recordInto, heart };
  const worker = new Worker(new URL('./worker.js', import.meta.url), { workerData, stdout: true });
  worker.stdout.pipe(process.stderr, { end: false });
  const beats = new Int32Array(heart);
  const watch = watchHeart(beats, silenceMs);
  return new Promise<RecordedForeignNight>((resolve, reject) => {
    watch.silent.then(() =>
      reject(
        new ForeignError('unresponsive', `the client let nothing else run for ${silenceMs / 1000} s of real time`),
      ),
    );
    worker.once('message', (message: ForeignMessage) => {
      if (message.kind === 'night') resolve(message.night);
      else if (message.kind === 'fault') reject(new ForeignError(message.fault, message.message));
      else reject(message.kind === 'mistake' ? new InputError(message.message) : new Error(message.message));
    });
    worker.once('error', (error) => {
      // Before the first turn of simulated time nothing of the client's has run.
      const ours = Atomics.load(beats, 0) === 0;
      const what = `threw where nothing catches it: ${textOf(error)}`;
      reject(ours ? error : clientMistake(spec, what, 'a client that fails by rejecting'));
    });
    worker.once('exit', (code) =>
      reject(clientMistake(spec, `ended its thread with code ${code}`, 'a client that leaves the process running')),
    );
  }).finally(async () => {
    watch.stop();
    await worker.terminate();
  });
}

/** Resolves `silent` when the number has not changed between two looks. */
function watchHeart(beats: Int32Array, silenceMs: number): { readonly silent: Promise<void>; stop(): void } {
  let last = -1;
  let timer: NodeJS.Timeout | undefined;
  const silent = new Promise<void>((resolve) => {
    timer = native.setInterval(() => {
      const now = Atomics.load(beats, 0);
      if (now === last) resolve();
      last = now;
    }, silenceMs);
  });
  return { silent, stop: () => native.clearInterval(timer) };
}
