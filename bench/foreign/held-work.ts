// Work that runs on threads of the machine and that nothing else shows: time waits for it. WebAssembly is compiled there (undici
// parses HTTP with it), as are callbacks of crypto. A worker thread has a time of its own and is named.

import { createRequire, syncBuiltinESMExports } from 'node:module';
import { holdZlib } from './held-zlib.ts';
import { native } from './natives.ts';

const require = createRequire(import.meta.url);
type Method = (this: unknown, ...args: unknown[]) => unknown;
type Module = Record<string, unknown>;
interface WorkerModule extends Module {
  Worker: new (...args: unknown[]) => object;
}

export interface Holds {
  hold(): void;
  release(): void;
  /** The client started something that no time can be simulated for. */
  outside(what: string): void;
}

const WEB_ASSEMBLY = ['compile', 'instantiate', 'compileStreaming', 'instantiateStreaming'];
const CRYPTO = ['randomBytes', 'randomFill', 'randomInt', 'pbkdf2', 'scrypt', 'hkdf', 'generateKeyPair'].concat([
  'generateKey',
  'generatePrime',
  'checkPrime',
  'sign',
  'verify',
]);

const PROCESSES = ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'];

export function installHeldWork(holds: Holds): void {
  const crypto = require('node:crypto') as Module & { readonly webcrypto: { readonly subtle: object } };
  for (const name of WEB_ASSEMBLY) holdPromises(Reflect.get(globalThis, 'WebAssembly') as Module, name, holds);
  const subtle = Object.getPrototypeOf(crypto.webcrypto.subtle) as Module;
  for (const name of Object.getOwnPropertyNames(subtle)) if (name !== 'constructor') holdPromises(subtle, name, holds);
  for (const name of CRYPTO) holdCallbacks(crypto, name, holds);
  holdZlib(require('node:zlib') as Module, holds);
  holdMessages(holds);
  nameOutside(require('node:child_process') as Module, PROCESSES, 'a child process', holds);
  nameOutside(Atomics as unknown as Module, ['wait'], 'Atomics.wait', holds);
  nameWorkers(require('node:worker_threads') as WorkerModule, holds);
  syncBuiltinESMExports();
}

/** A function that returns a promise: held until it settles. */
function holdPromises(module: Module, name: string, holds: Holds): void {
  const original = module[name];
  if (typeof original !== 'function') return;
  replace(module, name, function held(this: unknown, ...args: unknown[]): unknown {
    const result = (original as Method).apply(this, args);
    if (result instanceof Promise) {
      holds.hold();
      const release = () => holds.release();
      result.then(release, release);
    }
    return result;
  });
}

/** A function whose last argument is called when it is done: held until then. */
function holdCallbacks(module: Module, name: string, holds: Holds): void {
  const original = module[name];
  if (typeof original !== 'function') return;
  const held = function held(this: unknown, ...args: unknown[]): unknown {
    const callback = args.at(-1);
    if (typeof callback !== 'function') return (original as Method).apply(this, args);
    const done = function done(this: unknown, ...results: unknown[]): unknown {
      holds.release();
      return (callback as Method).apply(this, results);
    };
    const result = (original as Method).apply(this, [...args.slice(0, -1), done]);
    holds.hold();
    return result;
  };
  // promisify() takes the original's own promise form.
  replace(module, name, Object.defineProperties(held, Object.getOwnPropertyDescriptors(original)));
}

/** A message between ports is delivered at the next turn of the event loop, which nothing else shows. */
function holdMessages(holds: Holds): void {
  const { prototype } = MessagePort;
  const original = prototype.postMessage as Method;
  const held = function postMessage(this: unknown, ...args: unknown[]): unknown {
    const result = original.apply(this, args);
    holds.hold();
    native.setImmediate(() => native.setImmediate(() => holds.release()));
    return result;
  };
  replace(prototype as unknown as Module, 'postMessage', held);
}

/** What starts a process, or blocks the thread, or sends what nobody sees, is named when it is called. */
function nameOutside(module: Module, names: readonly string[], what: string, holds: Holds): void {
  for (const name of names) {
    const original = module[name];
    if (typeof original !== 'function') continue;
    const named = function named(this: unknown, ...args: unknown[]): unknown {
      holds.outside(what);
      return (original as Method).apply(this, args);
    };
    replace(module, name, Object.defineProperties(named, Object.getOwnPropertyDescriptors(original)));
  }
}

function nameWorkers(module: WorkerModule, holds: Holds): void {
  const watched = new Proxy(module.Worker, {
    construct(target, args: unknown[], newTarget) {
      holds.outside('a worker thread');
      return Reflect.construct(target, args, newTarget) as object;
    },
  });
  replace(module, 'Worker', watched);
}

function replace(module: Module, name: string, value: unknown): void {
  Object.defineProperty(module, name, { value, configurable: true, writable: true, enumerable: true });
}
