// Holds the adapter without sockets: decided when sent, answered when the scheduler says so, told to the observer.

import assert from 'node:assert/strict';
import test from 'node:test';
import { InProcessTransport, type Scheduler } from './in-process.ts';
import { Platform } from './platform.ts';
import type { PlatformProfile } from './profile.ts';
import type { WireReply } from './wire.ts';

const PROFILE: PlatformProfile = {
  epochMs: 0,
  latencyMs: [150, 250],
  rejectionLatencyMs: [10, 30],
  overheadMs: 2,
  gates: [
    { gate: 'edge_token_bucket', refillPerS: 1, burst: 2, retryAfter: { form: 'seconds' } },
    { gate: 'billing' },
    { gate: 'fault', rate: 0.5 },
  ],
};

/** Keeps what was asked for, and runs it when told. */
class ManualScheduler implements Scheduler {
  time = 0;
  readonly asked: { readonly delayMs: number; readonly run: () => void }[] = [];
  nowMs(): number {
    return this.time;
  }
  schedule<T>(delayMs: number, run: (argument: T) => void, argument: T): void {
    this.asked.push({ delayMs, run: () => run(argument) });
  }
}

test('a request is decided at the time of sending, with the verdict of the platform', async () => {
  const scheduler = new ManualScheduler();
  const transport = new InProcessTransport(new Platform(PROFILE, 1), scheduler);
  const twin = new Platform(PROFILE, 1);
  const replies: Promise<WireReply>[] = [];
  const verdicts = [0, 10, 20, 1500].map((nowMs, i) => {
    scheduler.time = nowMs;
    replies.push(transport.send({ client: 'naive', ordinal: i + 1, item: 3 }));
    return twin.decide({ client: 'naive', item: 3 }, nowMs);
  });
  assert.deepEqual(
    scheduler.asked.map(({ delayMs }) => delayMs),
    verdicts.map(({ latencyMs }) => latencyMs),
  );
  for (const { run } of scheduler.asked) run();
  const statuses = (await Promise.all(replies)).map(({ status }) => status);
  assert.deepEqual(
    statuses,
    verdicts.map(({ status }) => status),
  );
  assert.equal(statuses[2], 429);
});

test('no reply before its event, and replies in the order of their events', async () => {
  const scheduler = new ManualScheduler();
  const transport = new InProcessTransport(new Platform(PROFILE, 1), scheduler);
  const settled: string[] = [];
  const sent = ['a', 'b'].map((client) =>
    transport.send({ client, ordinal: 1, item: undefined }).then(() => settled.push(client)),
  );
  await Promise.resolve();
  assert.deepEqual(settled, []);
  scheduler.asked[1]?.run();
  await sent[1];
  assert.deepEqual(settled, ['b']);
  scheduler.asked[0]?.run();
  await sent[0];
  assert.deepEqual(settled, ['b', 'a']);
});

test('the observer is told when the verdict is given, once a request', () => {
  const scheduler = new ManualScheduler();
  const told: unknown[] = [];
  const platform = new Platform(PROFILE, 1);
  const transport = new InProcessTransport(platform, scheduler, (client, ordinal, nowMs, verdict) => {
    told.push([client, ordinal, nowMs, verdict.verdictClass === 'edge']);
  });
  for (const ordinal of [1, 2, 3]) {
    scheduler.time += 5;
    void transport.send({ client: 'naive', ordinal, item: 0 });
  }
  assert.deepEqual(told, [
    ['naive', 1, 5, false],
    ['naive', 2, 10, false],
    ['naive', 3, 15, true],
  ]);
  assert.equal(platform.meter.rows()[0]?.total, 3);
});

test('the reply carries headers and body of the wire contract', async () => {
  const scheduler = new ManualScheduler();
  const transport = new InProcessTransport(
    new Platform({ ...PROFILE, gates: PROFILE.gates.slice(0, 1) }, 1),
    scheduler,
  );
  const sent = [1, 2, 3].map((ordinal) => transport.send({ client: 'naive', ordinal, item: 0 }));
  for (const { run } of scheduler.asked) run();
  const [ok, , limited] = await Promise.all(sent);
  assert.deepEqual(ok, { status: 200, headers: { 'content-type': 'application/json' }, body: '{"data":"ok"}' });
  assert.equal(limited?.headers['x-limit-kind'], 'edge');
  assert.equal(limited?.headers['retry-after'], '1');
  assert.match(limited?.body ?? '', /"kind":"edge"/);
});

test('a request is of the host that it names, and of the platform when it names none', async () => {
  for (const [down, statuses] of [
    ['a.example', [503, 200, 200]],
    ['platform', [200, 200, 503]],
  ] as const) {
    const scheduler = new ManualScheduler();
    const settings = { fromMs: 0, toMs: 1000, retryAfter: { form: 'absent' }, hosts: [down] } as const;
    const platform = new Platform({ ...PROFILE, gates: [{ gate: 'outage', ...settings }] }, 1);
    const transport = new InProcessTransport(platform, scheduler);
    const sent = (['a.example', 'b.example', undefined] as const).map((host, index) =>
      transport.send({ client: 'naive', ordinal: index + 1, item: 3, host }),
    );
    for (const { run } of scheduler.asked) run();
    const got = (await Promise.all(sent)).map(({ status }) => status);
    assert.deepEqual(got, statuses);
  }
});

test('each reply has the status of its own verdict, also where statuses share a class', async () => {
  const scheduler = new ManualScheduler();
  const replies = [400, 404, 408, 502, 504, 500, 503, 404].map((status) => ({ status }));
  const platform = new Platform({ ...PROFILE, gates: [{ gate: 'scripted', replies, after: 'ok' }] }, 1);
  const transport = new InProcessTransport(platform, scheduler);
  const sent = replies.map((_, index) => transport.send({ client: 'naive', ordinal: index + 1, item: 3 }));
  for (const { run } of scheduler.asked) run();
  const got = await Promise.all(sent);
  assert.deepEqual(
    got.map(({ status }) => ({ status })),
    replies,
  );
});
