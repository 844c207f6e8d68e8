// The thread of a platform on real time: serves one client over HTTP, keeps its book and its records, and closes them when the
// client has ended and everything that it sent was read.

import { workerData } from 'node:worker_threads';
import { serveHttp } from '../../platform-sim/http-server.ts';
import { Platform } from '../../platform-sim/platform.ts';
import { JsonLines } from '../books/json-lines.ts';
import { everyMs, WallClock } from '../clocks/wall-clock.ts';
import { platformBook } from '../night.ts';
import { report, runThread } from './in-thread.ts';
import { LiveCounts } from './live-counts.ts';
import type { WallJob } from './messages.ts';
import { PlatformSchedule } from './platform-schedule.ts';
import type { PlatformRecord } from './records.ts';
import { HealthMonitor } from './worker-health.ts';

/** Between two looks of the screen. */
const LIVE_MS = 200;
/**
 * Real time for what lies in the sockets when the client has closed them: a few turns of the event loop. What is read later
 * still is missing from the platform's book, and so a discrepancy that is told.
 */
const READ_OUT_MS = 50;

const { scenario, seed, speed, records, live } = workerData as WallJob;
const counts = new LiveCounts(live);
let stop: () => void = () => {};
const stopped = new Promise<void>((resolve) => {
  stop = resolve;
});

async function serve(originMs: number): Promise<void> {
  const health = new HealthMonitor();
  const clock = new WallClock({ speed, originMs, epochMs: scenario.profile.epochMs, late: health.late });
  const platform = new Platform(scenario.profile, seed);
  const schedule = new PlatformSchedule(clock, platform.meter);
  const file = new JsonLines(records);
  let arrivals = 0;
  let billed = 0;
  const server = await serveHttp(platform, schedule, (client, ordinal, arrivedMs, verdict) => {
    const arrival = ++arrivals;
    const { verdictClass, latencyMs, retryAfter } = verdict;
    const bill = verdict.billed ? 1 : 0;
    billed += bill;
    schedule.expect((settledMs, unheard) => {
      const told = retryAfter === undefined ? {} : { retryAfter };
      const times = { arrivedMs, settledMs, latencyMs };
      const said = { verdict: verdictClass, billed: bill, ...told, unheard: unheard ? 1 : 0 } as const;
      file.add({ client, ordinal, arrival, ...times, ...said } satisfies PlatformRecord);
    });
  });
  const stopLive = everyMs(LIVE_MS, () => {
    counts.set('arrived', arrivals);
    counts.set('billed', billed);
  });
  health.start();
  report({ kind: 'listening', url: server.origin });
  await stopped;
  await new WallClock().sleep(READ_OUT_MS);
  schedule.abandon();
  await server.close();
  stopLive();
  file.close();
  report({ kind: 'platform', book: platformBook(platform), health: health.stop() });
}

runThread({ start: ({ originMs }) => serve(originMs), other: () => stop() });
