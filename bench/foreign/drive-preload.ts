// Loaded with --import before a driven program: puts simulated time and the platform into its process, tells it the platform's
// address in its environment, and writes the books when it ends. The program knows nothing of it.

import './natives.ts';
import { readFileSync, writeFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { DRIVE_VARIABLE, type DriveResult, type DriveSettings } from './drive-job.ts';
import { ForeignError } from './foreign-error.ts';
import { foreignNight, itemsFromBook } from './foreign-night.ts';
import { ForeignRecorder } from './record-foreign.ts';
import { WindTunnel } from './wind-tunnel.ts';

async function drive(settings: DriveSettings): Promise<void> {
  const recorder = new ForeignRecorder(settings, settings.folder);
  const tunnel = new WindTunnel(settings, recorder);
  await tunnel.open();
  process.env[settings.urlVariable] = tunnel.origin;
  let fault: ForeignError | undefined;
  const write = (result: DriveResult) => writeFileSync(settings.resultFile, JSON.stringify(result), { flag: 'wx' });
  process.once('exit', () => {
    // Asked again: a program may end right after it did what can not be simulated.
    fault ??= tunnel.fault();
    tunnel.breakOff();
    tunnel.close();
    const night = recorder.close(foreignNight(settings, tunnel, itemsFromBook(tunnel.book.resources, undefined)));
    write(
      fault === undefined ? { kind: 'night', night } : { kind: 'fault', fault: fault.fault, message: fault.detail },
    );
  });
  tunnel.clock.endsWhenIdle = true;
  tunnel.clock.start((error) => {
    // A limit or a fault: the program does not go on in real time.
    if (error instanceof ForeignError) fault = error;
    process.exit(0);
  });
}

const file = process.env[DRIVE_VARIABLE];
if (file !== undefined && isMainThread) {
  // Neither the program nor a child of it is to be driven again.
  delete process.env[DRIVE_VARIABLE];
  delete process.env.NODE_OPTIONS;
  await drive(JSON.parse(readFileSync(file, 'utf8')) as DriveSettings);
}
