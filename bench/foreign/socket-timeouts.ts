// The idle timeout of sockets on simulated time: socket.setTimeout, on which stand the timeouts of node:http, of its agents and
// of the libraries above them. Node sets a timer of its own for it, which no replaced global reaches.

import { Socket } from 'node:net';
import { MAX_DELAY_MS } from '../clocks/simulated-clock.ts';
import type { ForeignTimers, SimulatedTimer } from './timers.ts';

type TimedSocket = Socket & { timeout?: number; _onTimeout(): void } & Record<symbol, SimulatedTimer | null>;

export function installSocketTimeouts(timers: ForeignTimers): void {
  // Node starts what it finds under this symbol anew whenever a byte goes by.
  const slot = Object.getOwnPropertySymbols(new Socket()).find(({ description }) => description === 'timeout');
  if (slot === undefined) throw new Error('this version of Node keeps the timeout of a socket in another place');
  const original = Socket.prototype.setTimeout;
  Socket.prototype.setTimeout = function setTimeoutSimulated(this: TimedSocket, ms: number, callback?: () => void) {
    if (this.destroyed) return this;
    this[slot]?.close();
    this[slot] = null;
    // Checks its arguments and its listeners in Node's way, without setting a timer.
    if (!(ms > 0 && Number.isFinite(ms))) return original.call(this, ms, callback) as TimedSocket;
    if (callback !== undefined) this.once('timeout', callback);
    this.timeout = ms;
    const idle = () => {
      if (!this.destroyed) this._onTimeout();
    };
    // Longer than a timer can be is not 1 ms here, but as long as can be.
    this[slot] = timers.setTimeout(idle, Math.min(ms, MAX_DELAY_MS)).unref();
    return this;
  } as Socket['setTimeout'];
}
