// The calendar as a client sees it: set to another time while the night goes on, or not to be trusted at all. Apart from the
// clock, because the platform keeps its own calendar, and waits go by the monotonic clock, which is never set.

import type { Clock } from '../../clients/ports.ts';
import type { ClientCalendar } from '../scenario/scenario.ts';

export function withCalendar(clock: Clock, calendar: ClientCalendar | undefined): Clock {
  // The usual night asks the clock itself: a call more for each of its sleeps can be measured.
  if (calendar === undefined) return clock;
  return {
    nowMs: () => clock.nowMs(),
    dateMs: () => dateOf(clock, calendar),
    sleep: (ms, signal) => clock.sleep(ms, signal),
    after: (ms, run) => clock.after(ms, run),
  };
}

/** By how much it has been set forward by now, ms; below zero when back. */
export function setByMs({ steps }: ClientCalendar, nowMs: number): number {
  return steps.reduce((sumMs, { atMs, byMs }) => (atMs <= nowMs ? sumMs + byMs : sumMs), 0);
}

function dateOf(clock: Clock, calendar: ClientCalendar): number | undefined {
  const dateMs = clock.dateMs();
  if (!calendar.trusted || dateMs === undefined) return undefined;
  return dateMs + setByMs(calendar, clock.nowMs());
}
