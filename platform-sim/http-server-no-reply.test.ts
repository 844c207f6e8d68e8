// Holds what the adapter over HTTP does when a reply reaches nobody: a lost one breaks the connection, a dropped one is only
// counted; both in the minute of the request.

import assert from 'node:assert/strict';
import { request } from 'node:http';
import test, { type TestContext } from 'node:test';
import { serveHttp } from './http-server.ts';
import { Platform } from './platform.ts';

interface Due {
  readonly delayMs: number;
  readonly send: () => void;
  readonly drop: () => void;
}

/** Serves one scripted reply; `due` resolves when it waits to be sent. */
async function serve(t: TestContext, reply: { readonly status: number; readonly lost?: boolean }) {
  const ranges = { latencyMs: [150, 250], rejectionLatencyMs: [10, 30] } as const;
  const gates = [{ gate: 'scripted', replies: [reply], after: 'last' }] as const;
  const platform = new Platform({ epochMs: 0, ...ranges, overheadMs: 2, gates }, 1);
  let resolve: (due: Due) => void = () => {};
  const due = new Promise<Due>((resolveDue) => {
    resolve = resolveDue;
  });
  const reached = {
    nowMs: () => 61_000,
    reply: (delayMs: number, send: () => void, drop: () => void) => resolve({ delayMs, send, drop }),
  };
  const server = await serveHttp(platform, reached);
  t.after(() => server.close());
  return { origin: server.origin, due, row: () => platform.meter.rows()[1] };
}

/** Resolves to the status, or to the code of the error that took its place. */
function statusOf(origin: string): Promise<unknown> {
  return new Promise((resolve) => {
    const sent = request(
      `${origin}/v1/items/3`,
      { headers: { 'x-request-id': 'naive-1' }, agent: false },
      (response) => {
        response.resume().on('end', () => resolve(response.statusCode));
      },
    );
    sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code)).end();
  });
}

test('a lost reply breaks the connection when it is due, and is then unheard', async (t) => {
  const { origin, due, row } = await serve(t, { status: 500, lost: true });
  const status = statusOf(origin);
  const { delayMs, send } = await due;
  assert.ok(delayMs >= 152 && delayMs <= 252);
  assert.deepEqual([row()?.error500, row()?.unheard_error500], [1, 0]);
  send();
  assert.equal(await status, 'ECONNRESET');
  assert.deepEqual([row()?.error500, row()?.unheard_error500, row()?.billed, row()?.total], [1, 1, 1, 1]);
});

test('a reply that nobody waits for any more is unheard, lost or not', async (t) => {
  for (const lost of [false, true]) {
    const { origin, due, row } = await serve(t, { status: 200, lost });
    void statusOf(origin);
    (await due).drop();
    assert.deepEqual([row()?.ok, row()?.unheard_ok, row()?.total], [1, 1, 1]);
  }
});

test('a reply that is sent is not unheard', async (t) => {
  const { origin, due, row } = await serve(t, { status: 504 });
  const status = statusOf(origin);
  (await due).send();
  assert.equal(await status, 504);
  assert.deepEqual([row()?.other, row()?.unheard_other], [1, 0]);
});
