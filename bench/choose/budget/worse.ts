// The same platform on a worse night: faults more or less often, or as many of them in bursts.

import type { GateSettings } from '../../../platform-sim/profile.ts';
import { type Scenario, seal } from '../../scenario/scenario.ts';

/** Above this a task may take longer than anyone would wait for. */
const WORST_RATE = 0.95;
/** Worse nights take longer: their limit of scenario time is so many times the scenario's. */
const MORE_TIME = 100;
const LONGEST_MS = 2_000_000_000;

function changed(scenario: Scenario, change: (gate: GateSettings) => GateSettings): Scenario {
  const { profile, limits } = scenario;
  const scenarioTimeMs = Math.min(LONGEST_MS, limits.scenarioTimeMs * MORE_TIME);
  return seal({ ...scenario, limits: { scenarioTimeMs }, profile: { ...profile, gates: profile.gates.map(change) } });
}

const isFault = ({ gate }: GateSettings): boolean => gate === 'fault' || gate === 'burst_fault';

/** Every fault that comes by chance, so many times as often; where there are no faults, every soft limit. */
export function timesFaults(scenario: Scenario, factor: number): Scenario {
  const faults = scenario.profile.gates.some(isFault);
  const rate = (value: number) => Math.min(WORST_RATE, value * factor);
  return changed(scenario, (gate) => {
    if (gate.gate === 'fault' || (!faults && gate.gate === 'soft_limit')) return { ...gate, rate: rate(gate.rate) };
    if (gate.gate !== 'burst_fault') return gate;
    return { ...gate, goodRate: rate(gate.goodRate), badRate: rate(gate.badRate) };
  });
}

/** The factor from which every rate is at its worst; undefined when nothing comes by chance. */
export function largestFactor({ profile }: Scenario): number | undefined {
  const faults = profile.gates.some(isFault);
  const rates = profile.gates.flatMap((gate) => {
    if (gate.gate === 'fault' || (!faults && gate.gate === 'soft_limit')) return [gate.rate];
    return gate.gate === 'burst_fault' ? [gate.goodRate, gate.badRate] : [];
  });
  const lowest = Math.min(...rates.filter((rate) => rate > 0));
  return Number.isFinite(lowest) ? WORST_RATE / lowest : undefined;
}

/** Spells of faults: mean lengths, and the share of failures in each, as multiples of the rate that they take the place of. */
export interface Bursts {
  readonly goodS: number;
  readonly badS: number;
}

/** The spells of the preset `bursty`: a quarter of the time is bad, and in it nearly everything fails. */
export const BURSTS: Bursts = { goodS: 90, badS: 30 };
const BAD_TIMES = 3.76;

/**
 * Each gate of independent faults as one of bursts. With the spells of BURSTS as many faults a second as before; with
 * longer bad ones, more.
 */
export function inBursts(scenario: Scenario, { goodS, badS }: Bursts): Scenario {
  const bad = BURSTS.badS / (BURSTS.goodS + BURSTS.badS);
  return changed(scenario, (gate) => {
    if (gate.gate !== 'fault') return gate;
    const badRate = Math.min(1, gate.rate * BAD_TIMES);
    const goodRate = Math.max(0, (gate.rate - bad * badRate) / (1 - bad));
    return { gate: 'burst_fault', goodS, badS, goodRate, badRate };
  });
}

export const hasIndependentFaults = ({ profile }: Scenario): boolean =>
  profile.gates.some((gate) => gate.gate === 'fault' && gate.rate > 0);
