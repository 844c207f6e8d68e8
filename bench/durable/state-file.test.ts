// The two task stores under one suite, and what the one on disk refuses: use by two, damage, strangers, other versions, no room.

import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import Database from 'libsql';
import { earlierLives } from '../../clients/durable/earlier-lives.ts';
import { MemoryStore } from '../../clients/durable/memory-store.ts';
import type { ReservedCall, SettledCall, TaskStore } from '../../clients/durable/task-store.ts';
import { InputError } from '../input-error.ts';
import { temporaryFolder } from '../testing.ts';
import { StateWriteError, stateError } from './state-error.ts';
import { StateFile, SYNCS } from './state-file.ts';

type Arm = readonly [name: string, begin: (t: { after(done: () => void): void }) => Reopened];
/** A store, and the same as the next life of the task finds it. */
interface Reopened {
  readonly store: TaskStore;
  next(): TaskStore;
}

const ARMS: readonly Arm[] = [
  [
    'memory',
    () => {
      const store = new MemoryStore();
      return {
        store,
        next: () => {
          store.beginLife();
          return store;
        },
      };
    },
  ],
  ...SYNCS.map(
    (sync): Arm => [
      `SQLite, sync ${sync}`,
      (t) => {
        let file: StateFile | undefined;
        t.after(() => file?.close());
        const path = join(temporaryFolder(t), 'state');
        file = StateFile.open(path, sync, '{}');
        file.beginLife();
        const next = () => {
          file?.close();
          file = StateFile.open(path, sync);
          file.beginLife();
          return file;
        };
        return { store: file, next };
      },
    ],
  ),
];

const call = (ordinal: number, item: number, attempt = 1): ReservedCall => ({
  ordinal,
  item,
  attempt,
  begunMs: 1,
  firstSentMs: 2,
  sentMs: ordinal * 10,
  previousWaitMs: 0.25,
});

const OK: SettledCall = {
  receivedMs: 25,
  status: 200,
  replyClass: 'ok',
  waitMs: null,
  because: 'done',
  inDoubt: false,
};
const RETRY: SettledCall = {
  ...OK,
  status: null,
  replyClass: 'no_reply',
  waitMs: 312.5,
  because: 'backoff',
  inDoubt: true,
};

for (const [name, begin] of ARMS) {
  test(`${name}: what was written is there in the next life, to the unit`, (t) => {
    const { store, next } = begin(t);
    store.reserve(call(1, 7));
    store.reserve(call(2, 8));
    store.settle(1, OK, { item: 7, reason: 'done' });
    store.reserve(call(3, 9));
    store.settle(3, RETRY, undefined);
    store.end({ item: 4, reason: 'circuit_open' });
    const reopened = next();
    assert.deepEqual(
      [...reopened.calls()],
      [
        { ...call(1, 7), life: 1, settled: OK },
        { ...call(2, 8), life: 1, settled: undefined },
        { ...call(3, 9), life: 1, settled: RETRY },
      ],
    );
    const { calls, untilMs, ended, open } = earlierLives(reopened);
    assert.deepEqual([calls, untilMs], [3, 30]);
    assert.deepEqual(
      new Map([...ended].sort()),
      new Map([
        [4, 'circuit_open'],
        [7, 'done'],
      ]),
    );
    assert.deepEqual([...open.keys()], [8, 9]);
    assert.equal(open.get(8)?.due, undefined);
    assert.deepEqual(open.get(9)?.due, { atMs: 337.5, because: 'backoff' });
    reopened.reserve(call(4, 9, 2));
    assert.equal([...reopened.calls()][3]?.life, 2);
  });

  test(`${name}: refused: a number twice or left out, a call for an item that has ended, a result twice`, (t) => {
    const { store } = begin(t);
    store.reserve(call(1, 1));
    assert.throws(() => store.reserve(call(1, 2)), /not the next one/);
    assert.throws(() => store.reserve(call(3, 2)), /not the next one/);
    store.settle(1, OK, { item: 1, reason: 'done' });
    assert.throws(() => store.reserve(call(2, 1)), /ended/);
    assert.throws(() => store.settle(1, RETRY, undefined), /does not wait/);
    assert.throws(() => store.settle(9, OK, undefined), /does not wait/);
    assert.equal([...store.calls()].length, 1);
  });

  test(`${name}: case A27: a result of an earlier life changes nothing, nor does what would have ended the item`, (t) => {
    const { store, next } = begin(t);
    store.reserve(call(1, 1));
    const later = next();
    assert.throws(() => later.settle(1, OK, { item: 1, reason: 'done' }), /does not wait/);
    assert.deepEqual([...later.endedItems()], []);
    assert.equal([...later.calls()][0]?.settled, undefined);
  });
}

/** A state with a hundred calls, closed. */
function stateOf(t: { after(done: () => void): void }): string {
  const path = join(temporaryFolder(t), 'state');
  const file = StateFile.open(path, 'normal', '{"a":1}');
  file.beginLife();
  for (let ordinal = 1; ordinal <= 100; ordinal++) file.reserve(call(ordinal, ordinal));
  file.close();
  return path;
}

const refusal = (path: string, says: RegExp) =>
  assert.throws(
    () => StateFile.open(path, 'normal').close(),
    (error) => error instanceof InputError && says.test(error.message) && !error.message.includes('\n'),
  );

test('a state in use is refused to a second, and free when the first has closed it', (t) => {
  const path = stateOf(t);
  const first = StateFile.open(path, 'normal');
  refusal(path, /in use by another process/);
  first.close();
  StateFile.open(path, 'normal').close();
});

test('damage, strangers and other versions are one line each, and nothing is written', (t) => {
  const path = stateOf(t);
  const changed = (name: string, change: (copy: string) => void) => {
    const copy = `${path}-${name}`;
    copyFileSync(path, copy);
    change(copy);
    return copy;
  };
  const sql = (text: string) => (copy: string) => {
    const db = new Database(copy);
    db.exec(text);
    db.close();
  };
  const overwritten = (copy: string) => {
    const bytes = readFileSync(copy);
    bytes.fill(0xaa, 4096, bytes.length);
    writeFileSync(copy, bytes);
  };
  for (const [name, change, says] of [
    ['version', sql('PRAGMA user_version = 2'), /has schema version 2; allowed: 1/],
    ['stranger', sql('PRAGMA application_id = 7'), /is no state file/],
    ['settings', sql("UPDATE task SET settings = '{}'"), /settings are not what was written/],
    ['text', (copy: string) => writeFileSync(copy, 'items: 9000\n'.repeat(1000)), /is no state file/],
    ['cut', (copy: string) => truncateSync(copy, 5000), /is damaged/],
    ['overwritten', overwritten, /is damaged/],
  ] as const) {
    const copy = changed(name, change);
    const before = readFileSync(copy);
    refusal(copy, says);
    assert.deepEqual(readFileSync(copy), before, name);
  }
  refusal(join(path, 'below'), /is not there/);
  refusal(`${path}-none`, /is not there/);
  assert.ok(!existsSync(`${path}-none`));
  assert.throws(() => StateFile.open(join(path, 'below'), 'normal', '{}'), /can not be opened/);
});

test('a process that died while it began the state leaves a file that can be begun again', (t) => {
  const path = join(temporaryFolder(t), 'state');
  writeFileSync(path, '');
  refusal(path, /is no state file/);
  const file = StateFile.open(path, 'normal', '{"a":1}');
  assert.equal(file.settings, '{"a":1}');
  file.close();
});

test('a disk that is full or broken is told by name, and is no mistake of the user', () => {
  for (const [code, says] of [
    ['SQLITE_FULL', 'the disk is full (ENOSPC)'],
    ['SQLITE_IOERR_WRITE', 'reading or writing failed (EIO)'],
  ] as const) {
    const told = stateError('s', Object.assign(new Error('x'), { code }));
    assert.ok(told instanceof StateWriteError);
    assert.equal(told.message, `s: state file: ${says}; what is on record is kept: storm resume s goes on`);
  }
  const other = new Error('of ours');
  assert.equal(stateError('s', other), other);
});
