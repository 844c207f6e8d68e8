// What the machine refuses is no reply of the platform's: it ends the night by name, and is never an attempt that failed.

import assert from 'node:assert/strict';
import { openSync, writeSync } from 'node:fs';
import test from 'node:test';
import type { OutboundRequest } from '../../clients/ports.ts';
import { type NoReplyCause, NoReplyError } from '../../platform-sim/no-reply.ts';
import { LoopbackTransport } from './loopback-transport.ts';
import { codeOf, machineFault, WallFault } from './wall-fault.ts';

const REQUEST: OutboundRequest = {
  ...{ client: 'guarded', ordinal: 1, item: 1, host: 'platform', method: 'GET', idempotencyKey: undefined },
};

const failing = (error: unknown) =>
  new LoopbackTransport('', 1, { send: () => Promise.reject(error), close: () => Promise.resolve() });
const network = (why: NoReplyCause, code: string) =>
  new NoReplyError(why, { cause: Object.assign(new Error(code), { code }) });

test('a connection that is not made is a fault of the machine, with what to do', async () => {
  for (const [error, says] of [
    [network('connect_failure', 'EMFILE'), /too many files are open.*ulimit.*EMFILE/],
    [network('connect_failure', 'ENFILE'), /on this machine.*ENFILE/],
    [network('connect_failure', 'EADDRNOTAVAIL'), /no port.*EADDRNOTAVAIL/],
    [network('connect_failure', 'ECONNREFUSED'), /the platform can not be reached \(ECONNREFUSED\)/],
    [Object.assign(new Error('bare'), { code: 'EMFILE' }), /EMFILE/],
  ] as const) {
    await assert.rejects(failing(error).send(REQUEST), (thrown: unknown) => {
      assert.ok(thrown instanceof WallFault);
      assert.match(thrown.message, says);
      return true;
    });
  }
});

test('a reply that was lost and an attempt that was given up are what they were', async () => {
  for (const error of [network('reset', 'ECONNRESET'), network('cancelled', 'UND_ERR_ABORTED'), new Error('ours')])
    await assert.rejects(failing(error).send(REQUEST), error);
});

test('what is under way when a drain is over was given up by us', async () => {
  const transport = failing(new Error('destroyed'));
  await transport.cut();
  await assert.rejects(transport.send(REQUEST), { name: 'NoReplyError', why: 'cancelled' });
});

test('a full disk and a taken port are named, and an error that is none of the machine’s is not', () => {
  let full: unknown;
  try {
    writeSync(openSync('/dev/full', 'w'), 'a line');
  } catch (error) {
    full = error;
  }
  // A machine without that device has another error, which is none of these.
  const code = codeOf(full) === 'ENOSPC' ? codeOf(full) : 'ENOSPC';
  assert.equal(machineFault(code), 'the disk is full (ENOSPC)');
  assert.match(machineFault('EADDRINUSE') ?? '', /port is taken/);
  for (const other of [undefined, 'toString', 'ENOENT', 'ERR_ASSERTION']) assert.equal(machineFault(other), undefined);
  assert.equal(codeOf(new Error('outer', { cause: Object.assign(new Error('inner'), { code: 'EMFILE' }) })), 'EMFILE');
  assert.equal(codeOf('text'), undefined);
});
