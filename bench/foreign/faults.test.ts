// Holds that a client that breaks simulated time is named, that a module that is no client is one clear line, and that what is
// fine is let through.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { discrepancies } from '../books/reconcile.ts';
import { InputError } from '../input-error.ts';
import { ROOT, smallStorm } from '../testing.ts';
import { FOREIGN_FAULTS, ForeignError } from './foreign-error.ts';
import { runInWorker } from './in-worker.ts';
import { specOf } from './testing.ts';

const broken = (name: string) =>
  specOf(`broken-clients.mjs?${encodeURIComponent(name)}`, { patienceMs: 500, concurrency: 2 });

/** Of a thread that is not to be ended for silence while it starts on a busy machine. */
const LONG_MS = 60_000;
const SHORT_MS = 1000;

const FAULTS: readonly (readonly [string, RegExp, number?])[] = [
  ['endless loop', /^unresponsive: the client let nothing else run for 1 s of real time/, SHORT_MS],
  ['endless microtasks', /^unresponsive: /, SHORT_MS],
  ['endless immediates', /^no_progress: .* [0-9]+ immediates or calls that work on another thread/],
  ['waits for nothing', /^stalled: nothing is due at 5145 ms, and the client still waits/],
  ['waits for a timer that keeps nothing going', /^stalled: nothing is due at 5145 ms/],
  ['another host, fetch', /^socket_elsewhere: the client connects to other\.example:80$/],
  ['another host, node:http, and nobody minds', /^socket_elsewhere: the client connects to other\.example:80$/],
  ['another port', /^socket_elsewhere: the client connects to 127\.0\.0\.1:9$/],
  ['a host by options', /^socket_elsewhere: the client connects to other\.example:80$/],
  ['a pipe', /^socket_elsewhere: the client connects to \/tmp\/no-such-pipe$/],
  ['a pipe by options', /^socket_elsewhere: the client connects to \/tmp\/no-such-pipe$/],
  ['TLS', /^socket_elsewhere: the client connects to 127\.0\.0\.1:[0-9]+ \(TLS\)$/],
  ['TLS by fetch', /^socket_elsewhere: the client connects to 127\.0\.0\.1:[0-9]+ \(TLS\)$/],
  ['UDP', /^socket_elsewhere: the client opens a UDP socket$/],
  ['a child process', /^outside_process: a child process has a time of its own$/],
  ['a worker thread', /^outside_process: a worker thread has a time of its own$/],
  ['waits at its top for nothing', /^stalled: the module is not loaded, and nothing is due$/],
];

for (const [name, message, silenceMs = LONG_MS] of FAULTS) {
  test(`${name}: a fault with a name`, async () => {
    await assert.rejects(runInWorker(broken(name), undefined, silenceMs), (error) => {
      assert.ok(error instanceof ForeignError, String(error));
      assert.match(error.message, message);
      return true;
    });
  });
}

test('a timer of the machine: a fault with a name', async () => {
  await assert.rejects(runInWorker(specOf('kept-timer.mjs'), undefined, LONG_MS), {
    name: 'ForeignError',
    message: /^escaped_timer: a timer of the machine is set/,
  });
});

const LINE = 'client broken-clients: ';
const MISTAKES: readonly (readonly [string, string])[] = [
  ['throws when it is loaded', `${LINE}can not be loaded: Error: no database; allowed: a module that node loads`],
  ['is no function', `${LINE}exports no function; allowed: a module with a default function for an item, or task()`],
  ['no such client', `${LINE}exports no function; allowed: a module with a default function for an item, or task()`],
  ['exits the process', `${LINE}ended its thread with code 7; allowed: a client that leaves the process running`],
  [
    'throws in a timer',
    `${LINE}threw where nothing catches it: TypeError: nobody catches this; allowed: a client that fails by rejecting`,
  ],
  [
    'rejects what nobody awaits',
    `${LINE}threw where nothing catches it: RangeError: nobody awaits this; allowed: a client that fails by rejecting`,
  ],
];

for (const [name, message] of MISTAKES) {
  test(`${name}: a mistake of the user's on one line`, async () => {
    await assert.rejects(runInWorker(broken(name), undefined, LONG_MS), (error) => {
      assert.ok(error instanceof InputError, String(error));
      assert.equal(error.message, message);
      return true;
    });
  });
}

test('what is no JavaScript is a mistake too', async () => {
  await assert.rejects(runInWorker(specOf('not-javascript.mjs')), {
    name: 'InputError',
    message: /^client not-javascript: can not be loaded: SyntaxError: [^\n]*; allowed: a module that node loads$/,
  });
});

test('a module that waits at its top for a timer is loaded when the timer is through', async () => {
  const { night, endings } = await runInWorker(broken('waits at its top for a timer'));
  assert.deepEqual([endings, night.stopReason], [{ done: 20 }, 'done']);
  // 500 ms of loading and ten preparations of 145 ms in each of two lanes.
  assert.equal(night.endedMs - night.startedMs, 500 + 10 * 145);
});

test('a whole task: items are those of the task, whatever else is asked for; the error with which it gives up is told', async () => {
  const patient = await runInWorker(specOf('whole-task.mjs?patient'));
  assert.deepEqual(patient.night.items.total, 20);
  assert.equal(patient.night.operations.begun, 21, 'the login and twenty items');
  assert.equal(patient.error, undefined);
  const { night, error, endings } = await runInWorker(specOf('whole-task.mjs'));
  assert.equal(error, 'Error: had enough');
  assert.deepEqual([night.items.total, night.items.unfinished, night.stopReason], [20, 17, 'attempts_exhausted']);
  assert.equal(night.operations.begun, 4);
  assert.equal(
    Object.values(endings).reduce((sum, count) => sum + count, 0),
    4,
  );
});

test('endings are counted by code or name, within bounds, whatever they are called', async () => {
  const scenario = smallStorm({ 'task.items': 70 });
  const { endings, night } = await runInWorker(specOf('endings.mjs', { scenario, concurrency: 1 }));
  const named = { constructor: 1, __proto__: 1, 'error done': 1, RangeError: 2, undefined: 1, string: 1, object: 1 };
  for (const [name, count] of Object.entries(named)) assert.equal(endings[name], count, name);
  assert.equal(endings.done, 10, 'also when there are more kinds than are told apart');
  assert.equal(endings.number, 1);
  assert.equal(endings['L'.repeat(80)], 1);
  assert.equal(Object.keys(endings).length, 42, 'forty, the rest, and done');
  assert.equal(
    Object.values(endings).reduce((sum, count) => sum + count, 0),
    70,
  );
  assert.deepEqual([night.items.done, night.items.abandoned], [10, 60]);
});

test('a client whose requests no library tells of is found by the books', async () => {
  const { night, endings } = await runInWorker(broken('speaks HTTP by hand'));
  assert.deepEqual(endings, { done: 20 });
  const [whole] = discrepancies(night);
  assert.match(whole?.identity ?? '', /client attempts = platform total/);
  assert.equal(whole?.difference, -night.platform.minutes.reduce((sum, { total }) => sum + total, 0));
});

test('the page names every fault and no other', () => {
  const page = readFileSync(join(ROOT, 'docs/foreign-code.md'), 'utf8');
  const [, table = ''] = page.split('## What is found out');
  const named = [...table.matchAll(/^\| `([a-z_]+)` \|/gm)].map(([, name]) => name);
  assert.deepEqual(named, [...FOREIGN_FAULTS]);
});
