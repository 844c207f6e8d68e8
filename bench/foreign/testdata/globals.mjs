// A client that is one check of the globals after another, an item each: what it imports by name, what it finds on the global
// object, and what objects of its own say of time. It fails with the check's name.

import assert from 'node:assert/strict';
import { AsyncLocalStorage } from 'node:async_hooks';
import { createRequire } from 'node:module';
import { performance as named } from 'node:perf_hooks';
import { hrtime, uptime } from 'node:process';
import { clearTimeout as namedClear, setTimeout as namedTimeout, setInterval as namedInterval } from 'node:timers';
import { scheduler, setTimeout as namedWait } from 'node:timers/promises';
import { promisify } from 'node:util';

const require = createRequire(import.meta.url);
const EPOCH = Date.UTC(2026, 9, 16, 2, 0, 0);
const capturedAtTop = setTimeout;
const { now } = Date;

/** How much later it is on every clock after a wait, in ms. */
async function passes(wait) {
  const [date, mono, pair, ns] = [Date.now(), performance.now(), hrtime(), hrtime.bigint()];
  await wait();
  const [seconds, nanoseconds] = hrtime(pair);
  const all = [Date.now() - date, performance.now() - mono, seconds * 1e3 + nanoseconds / 1e6];
  return [...all, Number(hrtime.bigint() - ns) / 1e6];
}

const hour = [3_600_000, 3_600_000, 3_600_000, 3_600_000];

const CHECKS = {
  'the calendar follows the epoch': () => {
    assert.ok(Date.now() >= EPOCH && Date.now() < EPOCH + 60_000);
    assert.equal(new Date().getTime(), Date.now());
    assert.equal(Date(), new Date(Date.now()).toString());
    assert.equal(Math.round(performance.timeOrigin + performance.now()), Date.now());
    assert.equal(now(), Date.now());
    assert.equal(Date.now, now);
  },
  'dates are dates': () => {
    assert.ok(new Date() instanceof Date);
    assert.equal(new Date().constructor, Date);
    assert.equal(new (new Date(5).constructor)().getTime(), Date.now());
    assert.equal(new Date(2020, 0, 1).getFullYear(), 2020);
    assert.equal(new Date('2020-01-01T00:00:00Z').getTime(), Date.UTC(2020, 0, 1));
    assert.equal(Date.parse('2020-01-01T00:00:00Z'), Date.UTC(2020, 0, 1));
    assert.deepEqual([Date.name, Date.length, typeof Date], ['Date', 7, 'function']);
    assert.equal(Object.prototype.toString.call(new Date()), '[object Date]');
    assert.equal(structuredClone(new Date(7)).getTime(), 7);
  },
  'a subclass is one': () => {
    class Moment extends Date {
      tomorrow() {
        return new Moment(this.getTime() + 86_400_000);
      }
    }
    assert.equal(new Moment().getTime(), Date.now());
    assert.ok(new Moment() instanceof Moment && new Moment() instanceof Date);
    assert.equal(new Moment(5).tomorrow().getTime(), 86_400_005);
  },
  'an hour passes on every clock': async () => {
    assert.deepEqual(await passes(() => new Promise((resolve) => setTimeout(resolve, 3_600_000))), hour);
    assert.equal(named.now(), performance.now());
    assert.equal(process.uptime(), performance.now() / 1000);
    assert.equal(uptime(), process.uptime());
  },
  'by every name under which a timer is found': async () => {
    const waits = [
      (done) => capturedAtTop(done, 3_600_000),
      (done) => namedTimeout(done, 3_600_000),
      (done) => require('timers').setTimeout(done, 3_600_000),
      (done) => namedWait(3_600_000).then(done),
      (done) => scheduler.wait(3_600_000).then(done),
      (done) => require('timers').promises.setTimeout(3_600_000).then(done),
      (done) => promisify(setTimeout)(3_600_000).then(done),
      (done) => AbortSignal.timeout(3_600_000).addEventListener('abort', done),
    ];
    // What only a signal waits for ends when nothing else keeps time going.
    const going = namedInterval(() => {}, 1000);
    for (const wait of waits) assert.deepEqual(await passes(() => new Promise(wait)), hour);
    namedClear(going);
  },
  'an asynchronous context is kept': async () => {
    const context = new AsyncLocalStorage();
    const seen = await context.run('mine', async () => {
      await namedWait(10);
      return await new Promise((resolve) => setTimeout(() => resolve(context.getStore()), 10));
    });
    assert.equal(seen, 'mine');
  },
};

const names = Object.keys(CHECKS);
export const count = names.length;

const fail = (code) => {
  throw Object.assign(new Error('a check'), { code });
};

export default async function item({ item: number }) {
  const name = names[number - 1];
  // Chance is told, not checked: only the reader of two nights knows whether it is the same.
  if (name === undefined) fail(`chance ${[1, 2, 3].map(() => Math.random().toFixed(9)).join()}`);
  try {
    await CHECKS[name]();
  } catch (error) {
    fail(`${name}: ${error.message}`);
  }
}
