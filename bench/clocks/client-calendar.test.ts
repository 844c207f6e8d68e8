// The client's calendar is set, the night is not: a date told is read against what the client believes, on both clocks;
// what is told in seconds, and the platform's own dates, do not notice.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { Decision } from '../../clients/policy.ts';
import { nightFiles } from '../books/night-files.ts';
import { CLOCKS, type ClockName, type Night, runNight } from '../night.ts';
import type { ClientCalendar, Scenario } from '../scenario/scenario.ts';
import { smallStorm } from '../testing.ts';
import { withCalendar } from './client-calendar.ts';
import { SimulatedClock } from './simulated-clock.ts';

fc.configureGlobal({ seed: 20261016 });

const EPOCH_MS = Date.UTC(2026, 9, 16, 2);

test('from its moment on a step counts, and adds to those before it', async () => {
  const clock = new SimulatedClock(EPOCH_MS, 1e9);
  const steps = [
    { atMs: 0, byMs: 500 },
    { atMs: 2000, byMs: 3_600_000 },
    { atMs: 3000, byMs: -3_601_000 },
  ];
  const stepped = withCalendar(clock, { trusted: true, steps });
  const seen: [number, number][] = [];
  await clock.run(async () => {
    for (const ms of [0, 1999, 1, 999, 1, 5000]) {
      await stepped.sleep(ms);
      seen.push([stepped.nowMs(), (stepped.dateMs() ?? Number.NaN) - clock.dateMs()]);
    }
  });
  assert.deepEqual(seen, [
    [0, 500],
    [1999, 500],
    [2000, 3_600_500],
    [2999, 3_600_500],
    [3000, -500],
    [8000, -500],
  ]);
  assert.equal(withCalendar(clock, { trusted: false, steps }).dateMs(), undefined);
  assert.equal(withCalendar(clock, undefined), clock, 'the usual night pays nothing');
});

interface Told {
  readonly decisions: readonly Decision[];
  readonly tolds: readonly string[];
  readonly headers: readonly (string | undefined)[];
  readonly night: Night;
}

async function observed(scenario: Scenario, strategy: string, clock: ClockName, seed = 1): Promise<Told> {
  const decisions: Decision[] = [];
  const tolds: string[] = [];
  const headers: (string | undefined)[] = [];
  const night = await runNight(
    { scenario, strategy, seed, clock },
    {
      verdict: () => {},
      client: {
        attempt(_, { told, reply }, decision) {
          decisions.push(decision);
          tolds.push(told.kind);
          headers.push(reply?.headers['retry-after']);
        },
        refused: (_operation, _nowMs, decision) => decisions.push(decision),
      },
    },
  );
  return { decisions, tolds, headers, night };
}

const OBEYS = {
  policy: 'retry_after',
  too_long: 'never_shorten',
  limit_ms: 120_000,
  floor_ms: 1000,
  fallback_ms: null,
  jitter_ms: [0, 0],
  only_limits: false,
};

/** Sent at 5 s, refused at 6 s with this header, and served when it is asked again. */
function toldOnce(retryAfter: string, calendar: object | undefined): Scenario {
  return smallStorm({
    fitted: [],
    strategies: {
      tested: {
        scheduler: { kind: 'checkpointed_items', concurrency: 1, hold_slot_while_waiting: true },
        policies: [{ policy: 'attempt_cap', attempts: 2 }, OBEYS],
      },
    },
    'task.items': 1,
    'task.prep_ms': 0,
    'platform.latency_ms': [1000, 1000],
    'platform.rejection_latency_ms': [1000, 1000],
    'platform.overhead_ms': 0,
    'platform.gates': [{ gate: 'scripted', replies: [{ status: 429, retry_after: retryAfter }], after: 'ok' }],
    ...(calendar === undefined ? {} : { 'task.calendar': calendar }),
  });
}

/** At 60 s of scenario time, by the platform's calendar. */
const AT_60 = 'Fri, 16 Oct 2026 02:01:00 GMT';
const steps = (...pairs: readonly (readonly [atS: number, byS: number])[]) => ({
  steps: pairs.map(([at_s, by_s]) => ({ at_s, by_s })),
});

/** What the client makes of the header: the kind of wait, and the wait in s or the reason to stop. */
const READINGS: readonly (readonly [string, string, object | undefined, string, number | string])[] = [
  ['no calendar of its own', AT_60, undefined, 'date', 54],
  ['half a minute ahead', AT_60, steps([0, 30]), 'date', 24],
  ['a step at the very receipt counts', AT_60, steps([6, 30]), 'date', 24],
  ['a step during the wait does not', AT_60, steps([7, 30]), 'date', 54],
  ['two steps', AT_60, steps([0, 30], [3, -10]), 'date', 34],
  ['behind: longer', AT_60, steps([2, -20]), 'date', 74],
  ['ahead to the very second: no time, so the floor', AT_60, steps([1, 54]), 'date', 1],
  ['past the date: the floor', AT_60, steps([1, 55]), 'past_date', 1],
  ['an hour ahead: past the date', AT_60, steps([1, 3600]), 'past_date', 1],
  ['an hour behind: longer than the limit', AT_60, steps([1, -3600]), 'date', 'retry_after_exceeds_limit'],
  ['not trusted', AT_60, { trusted: false }, 'clock_untrusted', 'clock_untrusted'],
  ['not trusted, and stepped', AT_60, { trusted: false, ...steps([1, 9]) }, 'clock_untrusted', 'clock_untrusted'],
  ['seconds, an hour ahead', '54', steps([1, 3600]), 'seconds', 54],
  ['seconds, not trusted', '54', { trusted: false }, 'seconds', 54],
];

for (const clock of CLOCKS) {
  test(`${clock}: a told wait against the client's calendar`, async () => {
    for (const [what, header, calendar, kind, expected] of READINGS) {
      const { decisions, tolds, night } = await observed(toldOnce(header, calendar), 'tested', clock);
      assert.equal(tolds[0], kind, what);
      const [first] = decisions;
      assert.deepEqual(first?.kind === 'retry' ? first.waitMs / 1000 : first?.reason, expected, what);
      const waitMs = typeof expected === 'number' ? 1000 * expected : 0;
      assert.equal(night.endedMs, 6000 + (waitMs === 0 ? 0 : waitMs + 1000), what);
    }
  });
}

test("the platform's own dates do not step", async () => {
  const told = { form: 'http-date', value_s: 10 };
  const headersOf = async (calendar: object) => {
    const changes = { 'task.items': 40, 'platform.gates.1': { gate: 'soft_limit', rate: 0.5, retry_after: told } };
    const scenario = smallStorm({ ...changes, ...calendar });
    // It does not listen, so that both nights ask at the same times.
    return (await observed(scenario, 'naive', 'virtual')).headers;
  };
  const without = await headersOf({});
  assert.ok(without.some((text) => text?.endsWith('GMT')));
  assert.deepEqual(await headersOf({ 'task.calendar': steps([3, 3600], [8, -9999]) }), without);
});

const calendars: fc.Arbitrary<ClientCalendar> = fc.record({
  trusted: fc.boolean(),
  steps: fc
    .uniqueArray(fc.record({ atMs: fc.nat(40_000), byMs: fc.integer({ min: -1e9, max: 1e9 }) }), {
      maxLength: 6,
      selector: ({ atMs }) => atMs,
    })
    .map((all) => all.sort((a, b) => a.atMs - b.atMs)),
});

test('nights whose waits are told in seconds are the same, byte for byte, whatever the calendar does', async () => {
  const plain = smallStorm({ 'task.items': 60, 'platform.gates.2.calls': 90 });
  const textOf = async (scenario: Scenario, strategy: string, seed: number) => {
    const { night, ...seen } = await observed(scenario, strategy, 'virtual', seed);
    return JSON.stringify([nightFiles(night), night, seen]);
  };
  const strategies = fc.constantFrom('naive', 'guarded');
  await fc.assert(
    fc.asyncProperty(calendars, strategies, fc.nat(1000), async (calendar, strategy, seed) => {
      const stepped = { ...plain, task: { ...plain.task, calendar } };
      assert.equal(await textOf(stepped, strategy, seed), await textOf(plain, strategy, seed));
    }),
    { numRuns: 30 },
  );
});
