// Clients with one peculiarity each, as they are met in the wild; which one is told in the query of this module's address.

import { once } from 'node:events';
import http from 'node:http';
import { randomBytes, randomInt, scrypt } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { constants, createBrotliCompress, createGunzip, createGzip, gunzip, gzip } from 'node:zlib';
import { Client, request as undiciRequest } from 'undici';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const soon = () => new Promise((resolve) => setImmediate(resolve));
const failed = (code) => Object.assign(new Error('gave up'), { code });

/** Tries a few times, with a wait between. */
async function tries(once, attempts = 4) {
  for (let attempt = 1; ; attempt++) {
    try {
      const status = await once(attempt);
      if (status < 300) return;
      if (attempt >= attempts) throw failed(`status ${status}`);
    } catch (error) {
      if (attempt >= attempts) throw error;
    }
    await sleep(30 * attempt);
  }
}

async function fetched(url, options) {
  const response = await fetch(url, options);
  await response.text();
  return response.status;
}

/** A request of node:http to its end; `with_` may do what it likes to it before. */
function plain(url, options = {}, body = undefined, with_ = () => {}) {
  return new Promise((resolve, reject) => {
    const request = http.request(url, options, (response) => {
      response.resume();
      response.once('end', () => resolve(response.statusCode));
      response.once('error', reject);
    });
    request.once('error', reject);
    with_(request);
    request.end(body);
  });
}

const two = new http.Agent({ keepAlive: true, maxSockets: 2 });
const closing = new http.Agent({ keepAlive: false });
const BIG = Buffer.alloc(3 << 20, 'x');
const SOME = BIG.subarray(0, 1 << 18);
let pipelining;

const CASES = {
  'gives up by signal, fetch': ({ url }) => tries(() => fetched(url, { signal: AbortSignal.timeout(180) })),
  'gives up by signal, node:http': ({ url }) => tries(() => plain(url, { signal: AbortSignal.timeout(180) })),
  'gives up by timer and controller': ({ url }) =>
    tries(async () => {
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(), 200);
      try {
        return await fetched(url, { signal: controller.signal });
      } finally {
        clearTimeout(timer);
      }
    }),
  'timeout of a node:http request': ({ url }) =>
    tries(() =>
      plain(url, { timeout: 180 }, undefined, (request) => request.once('timeout', () => request.destroy(failed('idle')))),
    ),
  'timeout of axios': ({ url }) => tries(async () => (await (await import('axios')).default.get(url, { timeout: 180 })).status),
  'gives up at once, node:http': async ({ url }) => {
    for (const when of [() => undefined, soon, () => new Promise((resolve) => process.nextTick(resolve))]) {
      const request = http.get(url);
      request.once('error', () => {});
      await when();
      request.destroy();
    }
    const request = http.get(url, { agent: false });
    request.once('error', () => {});
    await new Promise((resolve) => request.once('socket', resolve));
    request.destroy();
    await tries(() => plain(url));
  },
  'gives up at once, fetch': async ({ url }) => {
    const controller = new AbortController();
    const given = fetch(url, { signal: controller.signal }).catch(() => {});
    await soon();
    controller.abort();
    await given;
    await tries(() => fetched(url));
  },
  hedged: async ({ url }) => {
    const controllers = [new AbortController(), new AbortController()];
    const [first, second] = controllers;
    const late = sleep(100).then(() => fetched(url, { signal: second.signal }));
    const statuses = [fetched(url, { signal: first.signal }), late];
    const winner = await Promise.race(statuses.map((status, index) => status.then((value) => ({ index, value }))));
    controllers[1 - winner.index].abort();
    await Promise.allSettled(statuses);
    if (winner.value >= 300) throw failed(`status ${winner.value}`);
  },
  'lost replies': ({ url, item }) => tries(() => (item % 2 === 0 ? fetched(url) : plain(url))),
  HEAD: ({ url, item }) => tries(() => (item % 2 === 0 ? fetched(url, { method: 'HEAD' }) : plain(url, { method: 'HEAD' }))),
  'POST with a body': ({ url, item }) => {
    const options = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const body = JSON.stringify({ item });
    return tries(() => (item % 2 === 0 ? fetched(url, { ...options, body }) : plain(url, options, body)));
  },
  'POST with an expectation': ({ url, item }) =>
    tries(() => plain(url, { method: 'POST', headers: { expect: '100-continue' } }, String(item))),
  'POST of megabytes': ({ url, item }) =>
    tries(() => (item % 2 === 0 ? fetched(url, { method: 'POST', body: BIG }) : plain(url, { method: 'POST' }, BIG))),
  'uploads that are broken off': async ({ url }) => {
    const controller = new AbortController();
    async function* slow() {
      yield Buffer.alloc(1000);
      await sleep(50);
      controller.abort();
      yield Buffer.alloc(1000);
    }
    const options = { method: 'POST', duplex: 'half', signal: controller.signal };
    await fetch(url, { ...options, body: slow() }).catch(() => {});
    await tries(() => fetched(url));
  },
  'one item twice at once': ({ url }) => Promise.all([tries(() => fetched(url)), tries(() => plain(url))]),
  'bodies that nobody reads': async ({ url, item }) => {
    if (item % 2 === 0) await tries(async () => (await fetch(url)).status);
    else await tries(async () => (await undiciRequest(url)).statusCode);
  },
  'no keep-alive': ({ url, item }) =>
    tries(() => {
      if (item % 3 === 0) return plain(url, { agent: false });
      return item % 3 === 1 ? plain(url, { agent: closing }) : fetched(url, { headers: { connection: 'close' } });
    }),
  'two sockets': ({ url }) => tries(() => plain(url, { agent: two })),
  pipelining: ({ url, origin }) => {
    pipelining ??= new Client(origin, { pipelining: 4 });
    return tries(async () => {
      const { statusCode, body } = await pipelining.request({ path: new URL(url).pathname, method: 'GET', blocking: false });
      await body.text();
      return statusCode;
    });
  },
  'messages between ports': async ({ url }) => {
    const { port1, port2 } = new MessageChannel();
    port2.onmessage = ({ data }) => port2.postMessage(data + 1);
    for (let count = 0; count < 20; )
      count = await new Promise((resolve) => {
        port1.onmessage = ({ data }) => resolve(data);
        port1.postMessage(count);
      });
    port1.close();
    await tries(() => fetched(url));
  },
  files: async ({ url }) => {
    for (let count = 0; count < 5; count++) await readFile(new URL(import.meta.url), 'utf8');
    await tries(() => fetched(url));
  },
  'callbacks of zlib': async ({ url }) => {
    await promisify(gzip)(SOME);
    await tries(() => fetched(url));
  },
  'compression by stream': async ({ url }) => {
    for (const stream of [createGzip(), createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })]) {
      stream.end(SOME);
      for await (const _ of stream);
    }
    const broken = createGunzip();
    broken.end('no gzip at all');
    await once(broken, 'error');
    await promisify(gunzip)('nor this').catch(() => {});
    const left = createGzip();
    left.write(SOME);
    left.destroy();
    await tries(() => fetched(url));
  },
  'callbacks of crypto': async ({ url }) => {
    await promisify(randomBytes)(1 << 20);
    await new Promise((resolve) => randomInt(1 << 20, resolve));
    await promisify(scrypt)('word', 'salt', 16);
    await tries(() => fetched(url));
  },
  'promises of web crypto': async ({ url }) => {
    await crypto.subtle.digest('SHA-256', SOME);
    await tries(() => fetched(url));
  },
  immediates: async ({ url }) => {
    for (let count = 0; count < 20; count++) await soon();
    await tries(() => fetched(url));
  },
  'does not wait for its last request': async ({ url, item }) => {
    await tries(() => fetched(url));
    if (item % 2 === 0) fetched(url).catch(() => {});
    else plain(url).catch(() => {});
  },
};

const name = decodeURIComponent(new URL(import.meta.url).search.slice(1));

export default CASES[name];
export const names = Object.keys(CASES);
