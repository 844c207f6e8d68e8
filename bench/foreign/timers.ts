// The timers of Node on simulated time: setTimeout, setInterval, setImmediate, their promise forms and AbortSignal.timeout,
// with what Node's do: at least 1 ms, whole ms, 1 ms instead of a delay that is too long, ref, unref and refresh.

import { AsyncResource } from 'node:async_hooks';
import { promisify } from 'node:util';
import { MAX_DELAY_MS } from '../clocks/simulated-clock.ts';
import type { Due, ForeignClock } from './foreign-clock.ts';
import { native } from './natives.ts';

type Callback = (...args: unknown[]) => void;

/** As Node reads a delay (lib/internal/timers.js): not a number, below 1 or too long is 1 ms; a bigint is a mistake. */
export function delayOf(ms: unknown): number {
  const delay = (ms as number) * 1;
  return delay >= 1 && delay <= MAX_DELAY_MS ? Math.trunc(delay) : 1;
}

/** What setTimeout and setInterval return. */
export class SimulatedTimer {
  readonly #timers: ForeignTimers;
  readonly #resource = new AsyncResource('SimulatedTimer');
  readonly #callback: Callback;
  readonly #args: readonly unknown[];
  readonly #delayMs: number;
  readonly #repeats: boolean;
  #due: Due | undefined;
  #ref = true;
  /** Cleared: unlike one that has fired, it can not be started again. */
  #cleared = false;
  id = 0;

  constructor(timers: ForeignTimers, callback: Callback, delayMs: number, repeats: boolean, args: readonly unknown[]) {
    this.#timers = timers;
    this.#callback = callback;
    this.#delayMs = delayMs;
    this.#repeats = repeats;
    this.#args = args;
    this.#start();
  }

  #start(): void {
    this.#due = this.#timers.clock.schedule(this.#delayMs, () => this.#fire(), this.#ref);
  }

  #fire(): void {
    this.#due = undefined;
    if (!this.#repeats) this.#timers.forget(this);
    try {
      this.#resource.runInAsyncScope(this.#callback, this, ...this.#args);
    } finally {
      // After the call, as in Node: what the callback sets for the same time comes first.
      if (this.#repeats && !this.#cleared && this.#due === undefined) this.#start();
    }
  }

  refresh(): this {
    if (this.#cleared) return this;
    if (this.#due !== undefined) this.#timers.clock.cancel(this.#due);
    this.#start();
    return this;
  }

  ref(): this {
    return this.#setRef(true);
  }

  unref(): this {
    return this.#setRef(false);
  }

  #setRef(ref: boolean): this {
    this.#ref = ref;
    if (this.#due !== undefined) this.#timers.clock.setRef(this.#due, ref);
    return this;
  }

  hasRef(): boolean {
    return this.#ref;
  }

  close(): this {
    this.#cleared = true;
    if (this.#due !== undefined) this.#timers.clock.cancel(this.#due);
    this.#due = undefined;
    this.#timers.forget(this);
    return this;
  }

  [Symbol.toPrimitive](): number {
    return this.#timers.idOf(this);
  }

  [Symbol.dispose ?? Symbol.for('nodejs.dispose')](): void {
    this.close();
  }
}

/** An immediate runs natively; time waits for it. */
class CountedImmediate {
  readonly #clock: ForeignClock;
  readonly #immediate: NodeJS.Immediate;
  #waiting = true;

  constructor(clock: ForeignClock, callback: Callback, args: readonly unknown[]) {
    this.#clock = clock;
    clock.hold();
    this.#immediate = native.setImmediate(() => {
      this.#end();
      callback(...args);
    });
  }

  #end(): void {
    if (!this.#waiting) return;
    this.#waiting = false;
    this.#clock.release();
  }

  clear(): void {
    native.clearImmediate(this.#immediate);
    this.#end();
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return this.#waiting;
  }

  [Symbol.dispose ?? Symbol.for('nodejs.dispose')](): void {
    this.clear();
  }
}

interface WaitOptions {
  readonly signal?: AbortSignal;
  readonly ref?: boolean;
}

export class ForeignTimers {
  readonly clock: ForeignClock;
  /** Timers whose number somebody asked for, so that it may be cleared by it. */
  readonly #byId = new Map<number, SimulatedTimer>();
  #lastId = 0;

  constructor(clock: ForeignClock) {
    this.clock = clock;
  }

  idOf(timer: SimulatedTimer): number {
    if (timer.id === 0) {
      timer.id = ++this.#lastId;
      this.#byId.set(timer.id, timer);
    }
    return timer.id;
  }

  forget(timer: SimulatedTimer): void {
    if (timer.id !== 0) this.#byId.delete(timer.id);
  }

  readonly setTimeout = (callback: Callback, ms?: unknown, ...args: unknown[]): SimulatedTimer =>
    new SimulatedTimer(this, checked(callback), delayOf(ms), false, args);

  readonly setInterval = (callback: Callback, ms?: unknown, ...args: unknown[]): SimulatedTimer =>
    new SimulatedTimer(this, checked(callback), delayOf(ms), true, args);

  readonly setImmediate = (callback: Callback, ...args: unknown[]): CountedImmediate =>
    new CountedImmediate(this.clock, checked(callback), args);

  /** Clears what any of them returned, or its number; a timer from before the replacement is the machine's. */
  readonly clear = (timer?: unknown): void => {
    if (timer instanceof SimulatedTimer) timer.close();
    else if (timer instanceof CountedImmediate) timer.clear();
    else if (typeof timer === 'number' || typeof timer === 'string') this.#byId.get(Number(timer))?.close();
    else if (timer !== null && timer !== undefined) native.clearTimeout(timer as NodeJS.Timeout);
  };

  /** The functions of node:timers/promises. */
  promises() {
    const wait = <T>(ms?: number, value?: T, options: WaitOptions = {}): Promise<T> =>
      settled(options.signal, (done) => {
        const timer = this.setTimeout(() => done(value as T), ms);
        if (options.ref === false) timer.unref();
        return () => timer.close();
      });
    const immediate = <T>(value?: T, options: WaitOptions = {}): Promise<T> =>
      settled(options.signal, (done) => {
        const queued = this.setImmediate(() => done(value as T));
        return () => queued.clear();
      });
    const every = <T>(ms?: number, value?: T, options: WaitOptions = {}) => this.#ticks(ms, value as T, options);
    const scheduler = {
      wait: (ms: number, options?: WaitOptions) => wait<void>(ms, undefined, options),
      yield: () => immediate<void>(),
    };
    return { setTimeout: wait, setImmediate: immediate, setInterval: every, scheduler };
  }

  /** Ticks that come while the last one is still being dealt with are kept, and handed out at once. */
  async *#ticks<T>(ms: number | undefined, value: T, { signal, ref }: WaitOptions): AsyncGenerator<T> {
    let waiting = 0;
    let look = () => {};
    const timer = this.setInterval(() => {
      waiting++;
      look();
    }, ms);
    if (ref === false) timer.unref();
    const abort = () => look();
    signal?.addEventListener('abort', abort);
    try {
      while (signal?.aborted !== true) {
        if (waiting > 0) {
          waiting--;
          yield value;
        } else
          await new Promise<void>((resolve) => {
            look = resolve;
          });
      }
      throw aborted(signal);
    } finally {
      timer.close();
      signal?.removeEventListener('abort', abort);
    }
  }

  /** AbortSignal.timeout: aborts with a TimeoutError, and keeps nothing alive. */
  readonly abortAfter = (ms: number): AbortSignal => {
    // What Node refuses, it refuses in its own words.
    if (!Number.isInteger(ms) || ms < 0 || ms > 2 ** 32 - 1) return native.abortAfter(ms);
    const controller = new AbortController();
    const abort = () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    this.setTimeout(abort, ms).unref();
    return controller.signal;
  };

  /** setTimeout and setImmediate as promisify() and everybody else expects them. */
  callbackForms() {
    const promises = this.promises();
    const timeout = Object.assign(this.setTimeout.bind(undefined), { [promisify.custom]: promises.setTimeout });
    const immediate = Object.assign(this.setImmediate.bind(undefined), { [promisify.custom]: promises.setImmediate });
    return { setTimeout: timeout, setImmediate: immediate, setInterval: this.setInterval };
  }
}

function checked(callback: unknown): Callback {
  if (typeof callback === 'function') return callback as Callback;
  const error: TypeError & { code?: string } = new TypeError('The "callback" argument must be of type function');
  error.code = 'ERR_INVALID_ARG_TYPE';
  throw error;
}

function aborted(signal: AbortSignal | undefined): Error {
  const error: Error & { code?: string } = new Error('The operation was aborted', { cause: signal?.reason });
  error.name = 'AbortError';
  error.code = 'ABORT_ERR';
  return error;
}

/** A promise that `begin` fulfils, unless the signal aborts first; `begin` returns how to take it back. */
function settled<T>(signal: AbortSignal | undefined, begin: (done: (value: T) => void) => () => void): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      undo?.();
      reject(aborted(signal));
    };
    let undo: (() => void) | undefined;
    if (signal?.aborted === true) {
      abort();
      return;
    }
    signal?.addEventListener('abort', abort, { once: true });
    undo = begin((value) => {
      signal?.removeEventListener('abort', abort);
      resolve(value);
    });
  });
}
