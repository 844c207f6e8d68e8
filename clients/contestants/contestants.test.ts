// Holds the contestants to what their sources say: how often each tries, how long it waits, and what it makes of a wait that it
// is told, to the millisecond, off simulated time. The figures are in testdata/contestants.json.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { ROOT } from '../../bench/testing.ts';
import { stream } from '../../platform-sim/draws.ts';
import { CONTESTANTS, packagesOf } from './catalogue.ts';
import { type ContestantNight, contestantNight, delaysOf, SEED, scripted } from './testing.ts';

/** As it is, or between these, both included. */
type Delay = number | readonly [number, number];

interface Figures {
  readonly version?: string;
  readonly attempts: { readonly GET: number; readonly POST: number };
  readonly delay_ms: readonly Delay[];
  /** After a 429 that says `Retry-After: 2`; null for who does not try again. */
  readonly told_2_s_delay_ms: Delay | null;
  /** The same of the next request of the same client, which here is the POST, where it is not like the first. */
  readonly next_delay_ms?: readonly Delay[];
  readonly next_told_2_s_delay_ms?: Delay;
}

const { contestants } = JSON.parse(readFileSync(join(ROOT, 'clients/testdata/contestants.json'), 'utf8')) as {
  contestants: Record<string, Figures>;
};
const METHODS = ['GET', 'POST'] as const;
const ONE_LANE = { concurrency: 1, maxCalls: 100 } as const;

/** A timer of Node takes at least 1 ms, and whole ones. */
const timerMs = (ms: number) => Math.max(1, Math.trunc(ms));

function assertDelay(actual: number | undefined, expected: Delay, what: string): void {
  const [low, high] = typeof expected === 'number' ? [expected, expected] : expected;
  const within = actual !== undefined && actual >= timerMs(low) && actual <= timerMs(high);
  assert.ok(within, `${what}: ${actual} ms instead of ${expected}`);
}

/** Random numbers of a retrying contestant: how many an attempt takes, and what becomes of the one for each delay. */
interface Draws {
  readonly perAttempt: number;
  readonly delayMs: (retry: number, draw: number, before: readonly number[]) => number;
}

const sdk: Draws = { perAttempt: 1, delayMs: (retry, draw) => 500 * 2 ** retry * (1 - 0.25 * draw) };
const smithy: Draws = { perAttempt: 0, delayMs: (retry, draw) => draw * 50 * 2 ** retry };

/** Polly's decorrelated jitter, in units of a retry. */
const polly = (retry: number, draw: number) => 2 ** (retry + draw) * Math.tanh(Math.sqrt(4 * (retry + draw)));

const DRAWS: Readonly<Record<string, Draws>> = {
  got: { perAttempt: 0, delayMs: (retry, draw) => 1000 * 2 ** retry + 100 * draw },
  'axios-retry-exponential': { perAttempt: 0, delayMs: (retry, draw) => 200 * 2 ** retry * (1 + 0.2 * draw) },
  cockatiel: {
    perAttempt: 0,
    delayMs: (retry, draw, before) =>
      (Math.max(0, polly(retry, draw) - (retry === 0 ? 0 : polly(retry - 1, before[retry - 1] ?? 0))) / 1.4) * 128,
  },
  'smithy-standard': smithy,
  'smithy-adaptive': smithy,
  openai: sdk,
  anthropic: sdk,
};

/** The delays of a GET and then a POST from the draws of the night's Math.random. */
function delaysFromDraws({ perAttempt, delayMs }: Draws, attempts: Figures['attempts']): number[][] {
  const draw = stream(SEED, 'client-random');
  let drawn = 0;
  return METHODS.map((method) => {
    const draws: number[] = [];
    for (let attempt = 1; attempt <= attempts[method]; attempt++) {
      drawn += perAttempt;
      if (attempt < attempts[method]) draws.push(draw(0, drawn++));
    }
    return draws.map((value, retry) => timerMs(delayMs(retry, value, draws)));
  });
}

function checkAlways503(name: string, figures: Figures, night: ContestantNight): void {
  METHODS.forEach((method, i) => {
    const delays = delaysOf(night, i + 1);
    const delayMs = i === 0 ? figures.delay_ms : (figures.next_delay_ms ?? figures.delay_ms);
    const expected = delayMs.slice(0, figures.attempts[method] - 1);
    assert.equal(night.requests.filter(({ item }) => item === i + 1).length, figures.attempts[method], method);
    expected.forEach((delay, retry) => {
      assertDelay(delays[retry], delay, `${method}, retry ${retry + 1}`);
    });
  });
  const draws = DRAWS[name];
  if (draws !== undefined)
    assert.deepEqual([delaysOf(night, 1), delaysOf(night, 2)], delaysFromDraws(draws, figures.attempts));
}

/** Who is told to wait 2 s waits that long, or is early, or does not come again. */
function checkTold2s(figures: Figures, night: ContestantNight): void {
  let early = 0;
  METHODS.forEach((method, i) => {
    const delays = delaysOf(night, i + 1);
    const { attempts, told_2_s_delay_ms: first } = figures;
    const told = i === 0 ? first : (figures.next_told_2_s_delay_ms ?? first);
    const retries = told !== null && attempts[method] > 1;
    assert.equal(delays.length, retries ? 1 : 0, method);
    if (!retries) return;
    assertDelay(delays[0], told, method);
    if ((delays[0] ?? 0) < 2000) early++;
  });
  assert.equal(night.night.earlyRetries, early);
}

test('every contestant but the endless one has figures', () => {
  assert.deepEqual(new Set([...Object.keys(contestants), 'cockatiel-endless']), new Set(Object.keys(CONTESTANTS)));
});

for (const [name, figures] of Object.entries(contestants)) {
  test(`${name}: the version is the one that was measured`, () => {
    const contestant = CONTESTANTS[name];
    assert.ok(contestant !== undefined);
    assert.equal(packagesOf(contestant)[0]?.version, figures.version);
  });

  test(`${name}: attempts and waits of a GET and a POST that are always answered 503`, async (t) => {
    checkAlways503(name, figures, await contestantNight(t, name, scripted({ status: 503 }, 'last'), ONE_LANE));
  });

  test(`${name}: a 429 with Retry-After: 2`, async (t) => {
    const scenario = scripted({ status: 429, retry_after: '2' }, 'ok');
    checkTold2s(figures, await contestantNight(t, name, scenario, ONE_LANE));
  });
}

test('cockatiel-endless: tries again at once until the night is cut', async (t) => {
  const night = await contestantNight(t, 'cockatiel-endless', scripted({ status: 503 }, 'last'), ONE_LANE);
  assert.equal(night.night.stopReason, 'call_limit');
  assert.equal(night.requests.length, ONE_LANE.maxCalls);
  // The last one was cut off.
  assert.deepEqual(new Set(delaysOf(night, 1).slice(0, -1)), new Set([1]));
});

test('opossum: one failure of one opens it, and what comes within 30 s is not sent', async (t) => {
  const scenario = scripted({ status: 503 }, 'last', { items: 8, prepMs: 9000 });
  const { endings, requests } = await contestantNight(t, 'opossum', scenario, ONE_LANE);
  assert.deepEqual(endings, { 'status 503': 2, EOPENBREAKER: 6 });
  assert.deepEqual(
    requests.map(({ item }) => item),
    [1, 5],
  );
});

test('bottleneck: requests of eight lanes go out one by one, 333 ms apart', async (t) => {
  const scenario = scripted({ status: 503 }, 'last', { items: 8, prepMs: 0 });
  const { requests } = await contestantNight(t, 'bottleneck', scenario, { ...ONE_LANE, concurrency: 8 });
  const sentMs = requests.map((request) => request.sentMs);
  assert.deepEqual(
    sentMs.slice(1).map((ms, i) => ms - (sentMs[i] ?? Number.NaN)),
    // The first went out a timer of 0 ms late, and such a timer takes 1 ms.
    [332, 333, 333, 333, 333, 333, 333],
  );
});
