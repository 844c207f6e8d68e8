// The worker thread of one foreign night. The machine's timers are taken before anything else is loaded.

import './natives.ts';
import { parentPort, workerData } from 'node:worker_threads';
import { InputError } from '../input-error.ts';
import { ForeignError, type ForeignFault } from './foreign-error.ts';
import { ForeignRecorder, type RecordedForeignNight } from './record-foreign.ts';
import { type ForeignSpec, runModule } from './run-module.ts';

export interface ForeignJob {
  readonly spec: ForeignSpec;
  /** Folder for the books by request; none when undefined. */
  readonly recordInto: string | undefined;
  /** One number that the thread counts up while it lives. */
  readonly heart: SharedArrayBuffer;
}

export type ForeignMessage =
  | { readonly kind: 'night'; readonly night: RecordedForeignNight }
  | { readonly kind: 'fault'; readonly fault: ForeignFault; readonly message: string }
  /** Of the client's, or a failure of ours. */
  | { readonly kind: 'mistake' | 'failure'; readonly message: string };

async function work({ spec, recordInto, heart }: ForeignJob): Promise<RecordedForeignNight> {
  const beats = new Int32Array(heart);
  const beat = () => {
    beats[0] = ((beats[0] as number) + 1) | 0;
  };
  const recorder = recordInto === undefined ? undefined : new ForeignRecorder(spec, recordInto);
  const night = await runModule(spec, recorder, beat);
  return recorder === undefined ? { ...night, unmatched: 0 } : recorder.close(night);
}

function post(message: ForeignMessage): void {
  parentPort?.postMessage(message);
  parentPort?.close();
}

work(workerData as ForeignJob).then(
  (night) => post({ kind: 'night', night }),
  (error: unknown) => post(told(error)),
);

function told(error: unknown): ForeignMessage {
  if (error instanceof ForeignError) return { kind: 'fault', fault: error.fault, message: error.detail };
  if (error instanceof InputError) return { kind: 'mistake', message: error.message };
  return { kind: 'failure', message: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}
