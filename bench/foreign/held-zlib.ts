// Compression runs on threads of the machine, a write at a time, whether by stream, callback or promise: time waits for every
// write until it is done or has failed.

import type { Holds } from './held-work.ts';

type Method = (this: object, ...args: unknown[]) => unknown;

/** What zlib's streams stand on: one object of Node's a stream, which is told at the start whom to call after each write. */
interface Binding {
  init: Method;
  write: Method;
}
interface Stream {
  readonly _handle: Binding;
  close(): void;
}

/** A stream of each kind of binding; not every version of Node has all of them. */
const KINDS = [
  'createGzip',
  'createBrotliCompress',
  'createBrotliDecompress',
  'createZstdCompress',
  'createZstdDecompress',
];

export function holdZlib(zlib: Readonly<Record<string, unknown>>, holds: Holds): void {
  for (const kind of KINDS) {
    const create = zlib[kind];
    if (typeof create !== 'function') continue;
    const stream = create() as Stream;
    holdWrites(Object.getPrototypeOf(stream._handle) as Binding, holds);
    stream.close();
  }
}

function holdWrites(binding: Binding, holds: Holds): void {
  const { init, write } = binding;
  const writing = new WeakSet<object>();
  const written = (handle: object) => {
    if (writing.delete(handle)) holds.release();
  };
  binding.init = function initHeld(...args) {
    // Told in place of the stream's own functions, the only one among the arguments and the one that is set afterwards.
    const told = args.map((argument) => (typeof argument === 'function' ? releasing(argument as Method) : argument));
    let onerror: unknown;
    Object.defineProperty(this, 'onerror', {
      configurable: true,
      get: () => onerror,
      set: (value: unknown) => {
        onerror = typeof value === 'function' ? releasing(value as Method) : value;
      },
    });
    return init.apply(this, told);
  };
  binding.write = function writeHeld(...args) {
    holds.hold();
    writing.add(this);
    return write.apply(this, args);
  };
  const releasing = (call: Method): Method =>
    function released(this: object, ...args) {
      // First of all: what is called may write again.
      written(this);
      return call.apply(this, args);
    };
}
