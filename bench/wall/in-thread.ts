// What both kinds of threads of a night on real time have in common: they say when they are loaded, take orders, and tell a
// failure with its code, which would not survive being thrown.

import { parentPort } from 'node:worker_threads';
import type { Order, Report } from './messages.ts';
import { codeOf } from './wall-fault.ts';

export function report(message: Report): void {
  parentPort?.postMessage(message);
}

/** The thread ends when the work of its `start` order has. */
export function runThread(orders: {
  readonly start: (order: Extract<Order, { kind: 'start' }>) => Promise<void>;
  readonly other: (order: Exclude<Order, { kind: 'start' }>) => void;
}): void {
  const fail = (error: unknown) => {
    report({ kind: 'error', code: codeOf(error), message: error instanceof Error ? error.message : String(error) });
    parentPort?.close();
  };
  parentPort?.on('message', (order: Order) => {
    try {
      if (order.kind === 'start') orders.start(order).then(() => parentPort?.close(), fail);
      else orders.other(order);
    } catch (error) {
      fail(error);
    }
  });
  process.on('uncaughtException', fail);
  report({ kind: 'ready' });
}
