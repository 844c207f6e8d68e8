// A strategy against a real endpoint, with a small budget of calls and a cap on their rate, beside the same strategy against
// the simulated platform (seed 003, step six: attempts a request, latency an attempt, final status).

import type { Clock, Reply, Transport } from '../../clients/ports.ts';
import { buildPolicies, type PolicySettings } from '../../clients/strategies/build-policies.ts';
import { runScheduler } from '../../clients/strategies/run-scheduler.ts';
import type { StrategySettings } from '../../clients/strategies/settings.ts';
import { Tally } from '../../clients/tally.ts';
import { Task } from '../../clients/task.ts';
import { InProcessTransport } from '../../platform-sim/in-process.ts';
import { Platform } from '../../platform-sim/platform.ts';
import { type Spread, spread } from '../books/quantiles.ts';
import { SimulatedClock } from '../clocks/simulated-clock.ts';
import type { Scenario } from '../scenario/scenario.ts';
import { finalStatus, type ProbedRequest, RequestList } from './request-list.ts';

export interface ProbeSettings {
  readonly strategy: StrategySettings;
  /** Requests, each an operation of its own. */
  readonly requests: number;
  /** Calls at most, retries included. */
  readonly calls: number;
  readonly perS: number;
  readonly seed: number;
}

export interface ProbeReport {
  readonly operations: number;
  readonly calls: number;
  readonly replies: number;
  /** 429s that named no limit and told no wait. */
  readonly unlabelledLimits: number;
  readonly attemptsPerRequest: number;
  readonly latencyMs: Spread | undefined;
  /** How operations ended: the reason, and the status of the last attempt. */
  readonly endings: Readonly<Record<string, number>>;
  /** One by one; those that the client never came to are missing. */
  readonly requests: readonly ProbedRequest[];
  readonly stopReason: string;
}

/** An attempt that takes longer is given up, and so is an operation: a probe must end. */
const GUARD: PolicySettings = { policy: 'deadline', budgetMs: 120_000, reserveMs: 0, attemptMs: 30_000 };

export async function probe(
  { strategy, requests, calls, perS, seed }: ProbeSettings,
  ports: { readonly clock: Clock; readonly transport: Transport },
  accepts: ((reply: Reply) => boolean) | undefined,
): Promise<ProbeReport> {
  const list = new RequestList();
  const limits: PolicySettings[] = [
    { policy: 'rate_cap', perS },
    { policy: 'call_budget', calls },
  ];
  const guard = strategy.policies.some(({ policy }) => policy === 'deadline') ? [] : [GUARD];
  const policies = buildPolicies([...limits, ...strategy.policies, ...guard], seed, { chance: strategy.chance });
  const settings = { client: 'probe', items: requests, prepMs: 0, ...strategy.request };
  const task = new Task(settings, ports, policies, new Tally(), list);
  task.accepts = accepts;
  await runScheduler(task, strategy.scheduler);
  const operations = task.tally.operations;
  const latencies = list.requests().flatMap(({ attempts }) => attempts.map(({ latencyMs }) => latencyMs));
  return {
    operations,
    calls: task.tally.attempts,
    replies: task.tally.attempts - task.tally.count('no_reply') - task.tally.count('never_arrived'),
    unlabelledLimits: task.tally.unlabelledLimits,
    attemptsPerRequest: operations === 0 ? 0 : task.tally.attempts / operations,
    latencyMs: spread(latencies, 0.01),
    endings: endingsOf(list.requests(), requests),
    requests: list.requests(),
    stopReason: task.stopReason ?? 'done',
  };
}

function endingsOf(list: readonly ProbedRequest[], requests: number): Record<string, number> {
  const endings: Record<string, number> = {};
  const ended = list.filter((request) => request.ended !== undefined);
  for (const request of ended) {
    const name = `${request.ended}, ${finalStatus(request)}`;
    endings[name] = (endings[name] ?? 0) + 1;
  }
  if (requests > ended.length) endings['not ended, or never sent'] = requests - ended.length;
  return endings;
}

/** The same probe against the platform of a scenario, on simulated time. */
export async function simulatedProbe(settings: ProbeSettings, scenario: Scenario): Promise<ProbeReport> {
  const clock = new SimulatedClock(scenario.profile.epochMs, scenario.limits.scenarioTimeMs);
  const transport = new InProcessTransport(new Platform(scenario.profile, settings.seed), clock);
  return clock.run(() => probe(settings, { clock, transport }, undefined));
}
