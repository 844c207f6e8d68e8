// Holds that a client that waits out a 429 keeps no socket busy meanwhile (case A42): real HTTP, and a clock that stands still
// until it is told to go on.

import assert from 'node:assert/strict';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import test from 'node:test';
import { perform, startOperation } from './driver.ts';
import { attemptCap } from './policies/attempt-cap.ts';
import { retryAfter } from './policies/retry-after.ts';
import type { Clock } from './ports.ts';
import { Tally } from './tally.ts';
import { READING, Task } from './task.ts';
import { UndiciTransport } from './undici-transport.ts';

const SOCKETS = 8;
/** More than fits into one segment, so that a body that is not read holds its socket. */
const BODY = JSON.stringify({ error: 'too many requests', padding: 'x'.repeat(300_000) });

/** Time passes only by `wake`. */
class StandingClock implements Clock {
  #now = 0;
  readonly #asleep: { readonly untilMs: number; readonly wake: () => void }[] = [];
  #watched: { readonly count: number; readonly reached: () => void } | undefined;

  nowMs(): number {
    return this.#now;
  }
  dateMs(): undefined {
    return undefined;
  }
  after(): () => void {
    throw new Error('no attempt has a limit here');
  }
  sleep(ms: number): Promise<void> {
    if (ms === 0) return Promise.resolve();
    return new Promise((wake) => {
      this.#asleep.push({ untilMs: this.#now + ms, wake });
      if (this.#asleep.length === this.#watched?.count) this.#watched.reached();
    });
  }

  get asleep(): number {
    return this.#asleep.length;
  }
  /** Resolves when so many sleep. */
  sleepers(count: number): Promise<void> {
    return new Promise((reached) => {
      this.#watched = { count, reached };
    });
  }
  wakeAll(): void {
    for (const { untilMs, wake } of this.#asleep.splice(0)) {
      this.#now = Math.max(this.#now, untilMs);
      wake();
    }
  }
}

/** Answers the first request of each item from 1 to 8 with 429, every other with 200; a reply is open until it is sent whole. */
async function serve() {
  const sockets = new Set<Socket>();
  const asked = new Set<string>();
  const state = { accepted: 0, open: 0 };
  const answer = (response: ServerResponse, url: string) => {
    const refused = !asked.has(url) && !url.endsWith('/9');
    asked.add(url);
    state.open++;
    response.on('close', () => state.open--);
    response.writeHead(refused ? 429 : 200, { 'retry-after': '2' }).end(refused ? BODY : '{"data":"ok"}');
  };
  const server = createServer((request, response) => answer(response, request.url ?? ''));
  server.on('connection', (socket) => {
    state.accepted++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, sockets, state, port: (server.address() as AddressInfo).port };
}

test('A42: 8 sockets, 8 calls that wait out a 429: a ninth gets a socket at once, none is busy, none is lost', async (t) => {
  const { server, sockets, state, port } = await serve();
  const transport = new UndiciTransport(`http://127.0.0.1:${port}`, SOCKETS);
  t.after(async () => {
    await transport.close();
    server.close();
  });
  const clock = new StandingClock();
  const waits = { tooLong: 'never_shorten', limitMs: 60_000, floorMs: 0, fallbackMs: null, jitterMs: [0, 0] } as const;
  const policies = [attemptCap(2), retryAfter({ ...waits, onlyLimits: true }, () => 0)];
  const settings = { client: 'tested', items: 9, prepMs: 0, ...READING };
  const task = new Task(settings, { clock, transport }, policies, new Tally());
  const asleep = clock.sleepers(SOCKETS);
  const eight = Array.from({ length: SOCKETS }, (_, index) => perform(task, startOperation(task, index + 1, 1)));
  await asleep;
  assert.deepEqual([state.accepted, sockets.size, state.open], [SOCKETS, SOCKETS, 0], 'all kept, none busy');
  assert.equal((await perform(task, startOperation(task, 9, 1))).reason, 'done');
  assert.deepEqual([clock.nowMs(), clock.asleep, state.accepted], [0, SOCKETS, SOCKETS], 'before anybody woke');
  clock.wakeAll();
  assert.deepEqual(new Set((await Promise.all(eight)).map(({ reason }) => reason)), new Set(['done']));
  assert.deepEqual([task.tally.attempts, state.accepted, sockets.size], [17, SOCKETS, SOCKETS]);
  assert.deepEqual(task.tally.waits.get('retry_after'), { count: SOCKETS, plannedMs: SOCKETS * 2000 });
});
