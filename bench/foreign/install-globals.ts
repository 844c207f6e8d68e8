// Puts simulated time and chance where foreign code looks for them: the global object, node:timers, node:timers/promises,
// process.hrtime. To be called before the foreign code is imported; what it captures earlier has escaped.

import { createRequire, syncBuiltinESMExports } from 'node:module';
import { type Stream, stream } from '../../platform-sim/draws.ts';
import { setByMs } from '../clocks/client-calendar.ts';
import type { ClientCalendar } from '../scenario/scenario.ts';
import type { ForeignClock } from './foreign-clock.ts';
import { native } from './natives.ts';
import { installSocketTimeouts } from './socket-timeouts.ts';
import { ForeignTimers } from './timers.ts';

const require = createRequire(import.meta.url);

/**
 * @param seed of Math.random: the n-th draw is a hash of (seed, n)
 * @param calendar the client's own, when it goes otherwise than the platform's
 */
export function installGlobals(clock: ForeignClock, seed: number, calendar?: ClientCalendar): void {
  const timers = new ForeignTimers(clock);
  installTimers(timers);
  installSocketTimeouts(timers);
  const setMs = () => (calendar === undefined ? 0 : setByMs(calendar, clock.nowMs()));
  globalThis.Date = simulatedDate(() => clock.dateMs() + setMs());
  const sinceStart = () => clock.nowMs();
  define(performance, 'now', sinceStart);
  define(performance, 'timeOrigin', clock.dateMs() - clock.nowMs());
  define(process, 'hrtime', hrtime(clock));
  define(process, 'uptime', () => clock.nowMs() / 1000);
  Math.random = randomFrom(stream(seed, 'client-random'));
  AbortSignal.timeout = timers.abortAfter;
}

function installTimers(timers: ForeignTimers): void {
  const clears = { clearTimeout: timers.clear, clearInterval: timers.clear, clearImmediate: timers.clear };
  const functions = { ...timers.callbackForms(), ...clears };
  Object.assign(globalThis, functions);
  Object.assign(require('node:timers') as object, functions);
  Object.assign(require('node:timers/promises') as object, timers.promises());
  syncBuiltinESMExports();
}

/** Math.random as a stream of its own: the n-th call gives the n-th draw. */
function randomFrom(draw: Stream): () => number {
  let count = 0;
  return () => draw(0, count++);
}

function simulatedDate(now: () => number): DateConstructor {
  const RealDate = native.Date;
  const simulated: DateConstructor = new Proxy(RealDate, {
    construct: (target, args: unknown[], newTarget: new (...args: unknown[]) => object) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as object,
    apply: () => new RealDate(now()).toString(),
    get: (target, name, receiver) => (name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown)),
  });
  // `new (someDate.constructor)()` would be the machine's calendar.
  define(RealDate.prototype, 'constructor', simulated);
  return simulated;
}

function hrtime(clock: ForeignClock) {
  const pair = (before?: readonly [number, number]): [number, number] => {
    const ns = BigInt(Math.round(clock.nowMs() * 1e6));
    const since = before === undefined ? ns : ns - BigInt(before[0]) * 1_000_000_000n - BigInt(before[1]);
    return [Number(since / 1_000_000_000n), Number(since % 1_000_000_000n)];
  };
  return Object.assign(pair, { bigint: () => BigInt(Math.round(clock.nowMs() * 1e6)) });
}

function define(target: object, name: string, value: unknown): void {
  Object.defineProperty(target, name, { value, configurable: true, writable: true });
}
