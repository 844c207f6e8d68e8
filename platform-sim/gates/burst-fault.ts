// Faults that come in bursts (Gilbert-Elliott in continuous time): good and bad spells take turns, their lengths drawn from the
// seed as a timetable, and each kind of spell has a failure rate of its own. Independent faults of the same mean rate are kinder.

import type { Stream } from '../draws.ts';
import type { Gate } from '../types.ts';

export interface BurstFaultSettings {
  /** Mean length of a good and of a bad spell; both are exponential. */
  readonly goodS: number;
  readonly badS: number;
  /** Share of the requests that reach this gate and fail, in each. */
  readonly goodRate: number;
  readonly badRate: number;
}

/**
 * @param draw of each request
 * @param spells of the lengths of spells, by their number
 */
export function burstFault({ goodS, badS, goodRate, badRate }: BurstFaultSettings, draw: Stream, spells: Stream): Gate {
  let spell = 0;
  let endsMs = length(0);
  /** Spells with an even number are good; a spell takes 1 ms at least, so that the timetable has an end. */
  function length(number: number): number {
    const meanS = number % 2 === 0 ? goodS : badS;
    return Math.max(1, -Math.log(1 - spells(number, 0)) * meanS * 1000);
  }
  return {
    name: 'burst_fault',
    examine({ nowMs, key, ordinal }) {
      // Requests arrive in the order of time, so the timetable is read forwards only.
      while (nowMs >= endsMs) endsMs += length(++spell);
      const rate = spell % 2 === 0 ? goodRate : badRate;
      return draw(key, ordinal) < rate ? { verdictClass: 'error500', status: 500 } : undefined;
    },
  };
}
