// A small number of the exchanges of `npm run fuzz`: the server answers HTTP or nothing, keeps no connection, and goes on.

import assert from 'node:assert/strict';
import test from 'node:test';
import { fuzz } from './fuzz.ts';
import { hostileExchange } from './hostile.ts';
import { servedLedger, tablesOf } from './served-ledger.ts';
import { ask, control, openConnections, SERENE, serve } from './testing.ts';

test('the same seed gives the same bytes', () => {
  for (let number = 0; number < 50; number++) assert.deepEqual(hostileExchange(3, number), hostileExchange(3, number));
  assert.notDeepEqual(hostileExchange(3, 1), hostileExchange(4, 1));
});

test('a thousand hostile exchanges: no answer but HTTP, no connection left, books that balance, a server that goes on', async (t) => {
  const served = await serve(t, SERENE);
  const { kinds, statuses, problems } = await fuzz({ origin: served.origin, seed: 1, exchanges: 1000, lanes: 16 });
  assert.deepEqual(problems, []);
  assert.ok(Object.keys(kinds).length >= 17, Object.keys(kinds).join());
  for (const status of ['200', '400', '401', '403', '405', '413', '414', '431']) assert.ok(statuses[status], status);
  while ((await openConnections(served)) > 0) await new Promise(setImmediate);
  assert.equal(served.pending.size, 0);
  assert.equal((await ask(served.origin, '/v1/items/1')).status, 200);
  assert.equal((await control(served.origin, 'ledger')).status, 200);
  const { byClass, byMinute } = servedLedger(tablesOf(served.round));
  assert.deepEqual(
    [...byClass, ...byMinute].filter(({ difference }) => difference !== 0),
    [],
  );
});

test('what comes back of a request, or is no HTTP, is a problem', async (t) => {
  const { createServer } = await import('node:net');
  const server = createServer((socket) => {
    socket.on('error', () => {}).on('data', (chunk) => socket.end(chunk));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as { port: number };
  const { problems } = await fuzz({ origin: `http://127.0.0.1:${port}`, seed: 1, exchanges: 60, lanes: 4 });
  assert.ok(problems.some((text) => /came back/.test(text)) && problems.some((text) => /is no HTTP/.test(text)));
});
