// Holds that a night over HTTP is the virtual one byte for byte, also when replies get lost, statuses are mixed, and the
// client gives up on attempts in flight; and that the books of all of them balance.

import assert from 'node:assert/strict';
import test from 'node:test';
import type { Method } from '../../clients/ports.ts';
import { VERDICT_CLASSES } from '../../platform-sim/types.ts';
import { nightFiles } from '../books/night-files.ts';
import { discrepancies } from '../books/reconcile.ts';
import { CLOCKS, type Night, runNight } from '../night.ts';
import { smallStorm } from '../testing.ts';
import { LockstepWire } from './lockstep-wire.ts';
import { SimulatedClock } from './simulated-clock.ts';

const SEEDS = [1, 2, 3];

interface ReplyFile {
  readonly status: number;
  readonly retry_after?: string;
  readonly quota?: boolean;
  readonly lost?: boolean;
}

const LOST_OK: ReplyFile = { status: 200, lost: true };
const LOST = [LOST_OK, { status: 500, lost: true }, { status: 429, retry_after: '1' }, LOST_OK];
const MIXED: readonly ReplyFile[] = [
  { status: 503, retry_after: '1' },
  { status: 408 },
  { status: 504, lost: true },
  { status: 502 },
  { status: 429, retry_after: '2' },
  { status: 500 },
  { status: 429, quota: true },
  { status: 404 },
  { status: 400 },
];
const SLOW: readonly ReplyFile[] = [{ status: 503 }, LOST_OK, { status: 500 }];

const RETRIES = [
  { policy: 'classification', retry_statuses: [408, 429, 500, 502, 503, 504], method_safety: true },
  { policy: 'attempt_cap', attempts: 8 },
  { policy: 'jittered_backoff', jitter: 'full', base_ms: 40, cap_ms: 400 },
  { policy: 'retry_after', limit_ms: 10_000 },
];
/** Against a latency of 150 to 250 ms: many attempts are given up, the last of an operation at its deadline. */
const HASTY = [
  { policy: 'attempt_cap', attempts: 8 },
  { policy: 'fixed_backoff', wait_ms: 20 },
  { policy: 'deadline', budget_ms: 400, attempt_ms: 180 },
];
const ITEMS = { kind: 'checkpointed_items', concurrency: 8, hold_slot_while_waiting: true };
const RELEASING = { ...ITEMS, hold_slot_while_waiting: false };
const BATCHES = { kind: 'replay_batches', concurrency: 12, batch_size: 30, max_passes: 3, pause_after_pass_ms: 100 };

interface Trial {
  readonly replies: readonly ReplyFile[];
  readonly after?: 'ok' | 'last';
  readonly policies: readonly unknown[];
  readonly scheduler?: unknown;
  readonly method?: Method;
  readonly keys?: boolean;
  readonly latencyMs?: readonly [number, number];
  readonly hosts?: readonly string[];
  readonly down?: readonly string[];
}

function scenarioOf(trial: Trial) {
  const { replies, after = 'ok', policies, scheduler = ITEMS, method = 'GET', keys = false, latencyMs } = trial;
  const hosts = trial.hosts && { hosts: trial.hosts };
  const outage = { gate: 'outage', from_s: 5, to_s: 15, retry_after: { form: 'seconds' }, hosts: trial.down };
  return smallStorm({
    fitted: [],
    'task.items': 90,
    'task.prep_ms': 5,
    'platform.latency_ms': latencyMs ?? [150, 250],
    'platform.gates': [
      { gate: 'edge_token_bucket', refill_per_s: 40, burst: 20, retry_after: { form: 'seconds' } },
      { gate: 'soft_limit', rate: 0.05, retry_after: { form: 'http-date', value_s: 2 } },
      ...(trial.down ? [outage] : []),
      { gate: 'scripted', replies, after },
    ],
    strategies: { tried: { request: { method, idempotency_keys: keys, ...hosts }, scheduler, policies } },
  });
}

/** The same night on every clock; the first of them, when all have the same books and the books balance. */
async function agreedNight(trial: Trial, seed: number): Promise<Night> {
  const scenario = scenarioOf(trial);
  const [virtual, lockstep] = await Promise.all(
    CLOCKS.map((clock) => runNight({ scenario, strategy: 'tried', seed, clock })),
  );
  assert.ok(virtual && lockstep);
  assert.deepEqual(nightFiles(lockstep), nightFiles(virtual), `seed ${seed}`);
  assert.deepEqual({ ...lockstep, clock: 'virtual' }, virtual, `seed ${seed}`);
  assert.deepEqual(discrepancies(virtual), [], `seed ${seed}`);
  assert.deepEqual(discrepancies(lockstep), [], `seed ${seed}`);
  return virtual;
}

const unheardOf = ({ platform }: Night): number =>
  platform.minutes
    .flatMap((row) => VERDICT_CLASSES.map((name) => row[`unheard_${name}`]))
    .reduce((sum, n) => sum + n, 0);
const columnOf = ({ client }: Night, column: keyof Night['client']['minutes'][number]): number =>
  client.minutes.reduce((sum, row) => sum + row[column], 0);

for (const [name, scheduler] of Object.entries({ ITEMS, RELEASING, BATCHES })) {
  test(`lost replies, ${name.toLowerCase()}: as many attempts without a reply as replies that reached nobody`, async () => {
    for (const seed of SEEDS) {
      const night = await agreedNight({ replies: LOST, policies: RETRIES, scheduler }, seed);
      const unheard = unheardOf(night);
      assert.ok(unheard >= 90, `${unheard} unheard`);
      assert.equal(columnOf(night, 'no_reply'), unheard);
    }
  });

  test(`mixed statuses, ${name.toLowerCase()}: each comes over HTTP as what it is`, async () => {
    for (const seed of SEEDS) {
      const night = await agreedNight({ replies: MIXED, policies: RETRIES, scheduler }, seed);
      for (const column of ['error500', 'error503', 'other', 'limit429', 'quota429', 'no_reply'] as const)
        assert.ok(columnOf(night, column) > 0, column);
      assert.ok(unheardOf(night) > 0);
    }
  });
}

const REQUESTS: readonly (readonly [Method, boolean])[] = [
  ['GET', false],
  ['HEAD', false],
  ['PUT', false],
  ['DELETE', false],
  ['POST', false],
  ['POST', true],
  ['PATCH', true],
];

for (const [method, keys] of REQUESTS) {
  const request = `${method} ${keys ? 'with' : 'without'} keys`;

  test(`${request}: mixed statuses and lost replies`, async () => {
    for (const replies of [LOST, MIXED]) {
      const night = await agreedNight({ replies, policies: RETRIES, method, keys }, 4);
      if (method === 'POST' && !keys) assert.ok(night.operations.unknown > 0);
      else assert.ok(columnOf(night, 'attempts') > 2 * night.operations.begun);
    }
  });

  test(`${request}: a client that gives up on attempts in flight`, async () => {
    for (const scheduler of [ITEMS, RELEASING, BATCHES]) {
      const night = await agreedNight({ replies: SLOW, policies: HASTY, scheduler, method, keys }, 5);
      const unheard = unheardOf(night);
      assert.ok(unheard > 30, `${unheard} unheard`);
      assert.equal(columnOf(night, 'no_reply'), unheard);
      assert.ok(night.operations.unknown > 0);
    }
  });
}

for (const [name, scheduler] of Object.entries({ ITEMS, RELEASING, BATCHES })) {
  test(`hosts, ${name.toLowerCase()}: some of them down for a while, with lost replies from all`, async () => {
    const hosts = ['a.example', 'b.example', 'platform', 'd.example'];
    const breaker = { policy: 'consecutive_breaker', threshold: 4, cooldown_ms: 2000, probes: 1, per_host: true };
    const policies = [{ ...breaker, limits_are_failures: false, when_open: 'wait' }, ...RETRIES];
    const trial = { replies: MIXED, policies, scheduler, hosts };
    for (const seed of SEEDS) {
      const down = await agreedNight({ ...trial, down: ['b.example', 'platform'] }, seed);
      assert.ok(down.platform.minutes.some(({ unavailable }) => unavailable > 0));
      const other = await agreedNight({ ...trial, down: ['a.example'] }, seed);
      assert.notDeepEqual(nightFiles(other), nightFiles(down));
    }
  });
}

test('a client that hears nothing at all: every reply of the night is lost or given up', async () => {
  for (const policies of [RETRIES, HASTY]) {
    const night = await agreedNight({ replies: [LOST_OK], after: 'last', policies, method: 'POST', keys: true }, 6);
    assert.equal(night.items.done, 0);
    assert.equal(columnOf(night, 'ok'), 0);
    assert.ok(unheardOf(night) > 90);
  }
});

test('a reply that is due in the very millisecond of the limit is in time on both clocks, one later is not', async () => {
  const inTime = await agreedNight({ replies: [], policies: HASTY, latencyMs: [178, 178] }, 7);
  assert.ok(columnOf(inTime, 'ok') > 0);
  const late = await agreedNight({ replies: [], policies: HASTY, latencyMs: [179, 179] }, 7);
  assert.deepEqual([columnOf(late, 'ok'), columnOf(late, 'no_reply') > 0], [0, true]);
});

test('a request that fails on its way frees clock and wire for the next, and its error is passed on', async () => {
  const clock = new SimulatedClock(0, 1e6);
  const wire = new LockstepWire(clock);
  const sent: number[] = [];
  const transport = wire.transport({
    send: async ({ ordinal }) => {
      sent.push(ordinal);
      throw new Error(`broken ${ordinal}`);
    },
  });
  const requestOf = (ordinal: number) =>
    ({ client: 'tried', ordinal, item: 1, host: 'platform', method: 'GET', idempotencyKey: undefined }) as const;
  await clock.run(async () => {
    await Promise.all(
      [1, 2, 3].map((ordinal) => assert.rejects(transport.send(requestOf(ordinal)), { message: `broken ${ordinal}` })),
    );
    await clock.sleep(10);
  });
  assert.deepEqual([sent, clock.nowMs()], [[1, 2, 3], 10]);
  assert.throws(
    () =>
      wire.reply(
        0,
        () => {},
        () => {},
      ),
    /not sent through this wire/,
  );
});
