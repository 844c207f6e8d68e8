// Nights on real time, side by side: each strategy against a platform of its own, all begun at the same moment. The main
// thread only waits, shows and, when all have ended, joins their records.

import { mkdirSync, rmSync } from 'node:fs';
import { monotonicMs } from '../clocks/wall-clock.ts';
import type { Night } from '../night.ts';
import { type JoinedRecords, joinRecords } from './join-records.ts';
import { type Judgement, judge } from './judge.ts';
import type { LiveFigures } from './live-counts.ts';
import { type PairReports, type PairSpec, ROLES, type Role, ThreadPair } from './thread-pair.ts';

export interface WallNight {
  readonly night: Night;
  readonly judgement: Judgement;
  /** Requests whose two records do not match. */
  readonly unmatched: number;
  /** Whether it was drained before its end. */
  readonly partial: boolean;
}

/** Real time that replies under way get when a run is drained. */
const DRAIN_LIMIT_MS = 10_000;

/** Real time before scenario time 0 in which connections are made. */
const WARM_UP_MS = 500;

export class WallRun {
  readonly #pairs: readonly ThreadPair[];
  #drained = false;
  #started = false;

  /** Makes the folders of the nights, which must not exist, and begins to load their threads. */
  constructor(specs: readonly PairSpec[]) {
    for (const { folder } of specs) mkdirSync(folder);
    this.#pairs = specs.map((spec) => new ThreadPair(spec));
  }

  /**
   * @throws WallFault when a thread died or the machine had no room; Error when a night passed the scenario's time limit
   */
  async run(): Promise<readonly WallNight[]> {
    try {
      await Promise.all(this.#pairs.map((pair) => pair.ready()));
      this.#started = true;
      const originMs = monotonicMs() + WARM_UP_MS;
      const reports = await Promise.all(this.#pairs.map((pair) => pair.run(originMs)));
      const nights: WallNight[] = [];
      for (const [index, pair] of this.#pairs.entries()) {
        const own = reports[index];
        if (own !== undefined) nights.push(await this.#close(pair, own));
      }
      return nights;
    } finally {
      await Promise.all(this.#pairs.map((pair) => pair.end()));
    }
  }

  /** Sends nothing any more and waits for the replies under way. False when there is nothing to drain yet. */
  drain(): boolean {
    if (!this.#started) return false;
    this.#drained = true;
    for (const pair of this.#pairs) pair.drain(DRAIN_LIMIT_MS);
    return true;
  }

  /** How far each night is, in the order of the specs. */
  look(): readonly { readonly spec: PairSpec; readonly figures: LiveFigures }[] {
    return this.#pairs.map(({ spec, live }) => ({ spec, figures: live.read() }));
  }

  /** Ends one thread as a crash would, for tests. */
  kill(index: number, role: Role): Promise<void> | undefined {
    return this.#pairs[index]?.kill(role);
  }

  async #close({ spec, records }: ThreadPair, reports: PairReports): Promise<WallNight> {
    const { scenario, strategy, speed, folder } = spec;
    const joined = await joinRecords(records, folder, strategy, scenario);
    for (const role of ROLES) rmSync(records[role]);
    const night = nightOf(spec, reports, joined);
    const { platform, client } = reports;
    const measured = { speed, platform: platform.health, client: client.health, overheadMs: joined.overheadMs };
    const partial = this.#drained && night.stopReason === 'cancelled';
    return { night, judgement: judge(scenario, measured), unmatched: joined.unmatched, partial };
  }
}

function nightOf(
  { scenario, strategy, seed, speed }: PairSpec,
  reports: PairReports,
  { joined }: JoinedRecords,
): Night {
  return {
    scenario: scenario.name,
    scenarioHash: scenario.hash,
    strategy,
    seed,
    clock: 'wall',
    speed,
    platform: reports.platform.book,
    joined: { minutes: joined.rows },
    ...reports.client.book,
  };
}
