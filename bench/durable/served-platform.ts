// A platform on the wall clock that outlives its process: it writes down every request, and a new process goes on with the
// quota spent so far, at the scenario time of the last one.

import { type HttpPlatform, serveHttp } from '../../platform-sim/http-server.ts';
import { Platform } from '../../platform-sim/platform.ts';
import { WallClock } from '../clocks/wall-clock.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { headOf, RequestRecords, restore } from './request-records.ts';

export interface ServedPlatformSettings {
  readonly scenario: Scenario;
  readonly seed: number;
  readonly speed: number;
  /** 0 for a free one. */
  readonly port: number;
  /** Path of the records. */
  readonly records: string;
}

export interface ServedPlatform extends HttpPlatform {
  /** Requests that earlier processes served. */
  readonly restored: number;
}

/** @throws InputError when the records are damaged, or another night's */
export async function servePlatform(settings: ServedPlatformSettings): Promise<ServedPlatform> {
  const { scenario, seed, speed, port } = settings;
  const records = new RequestRecords(settings.records, headOf({ scenarioHash: scenario.hash, seed }));
  const platform = new Platform(scenario.profile, seed);
  const startMs = restore(platform, records.before);
  const clock = new WallClock({ speed, startMs, epochMs: scenario.profile.epochMs });
  const server = await serveHttp(
    platform,
    clock,
    (_client, ordinal, nowMs, verdict, request) => records.add(ordinal, request, nowMs, verdict),
    port,
  );
  const close = async () => {
    await server.close();
    records.close();
  };
  return { origin: server.origin, close, restored: records.before.length };
}
