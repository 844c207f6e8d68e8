// The task store in a SQLite file of its own. One process holds it, by a lock of the kernel's that dies with the process: no
// lease can run out under a stalled holder, and none is left behind by a dead one (case A27).

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import Database from 'libsql';
import type { CallRecord, EndedItem, ReservedCall, SettledCall, TaskStore } from '../../clients/durable/task-store.ts';
import { stateError, stateMistake } from './state-error.ts';

/** `normal` survives the death of the process, `full` that of the machine too: each transaction waits for the disk. */
export const SYNCS = ['full', 'normal'] as const;
export type Sync = (typeof SYNCS)[number];

/** 'STRM': says that a SQLite file is one of these. */
const APPLICATION_ID = 0x5354524d;
const SCHEMA_VERSION = 1;
const SCHEMA = `
  CREATE TABLE task (settings TEXT NOT NULL, sha256 TEXT NOT NULL) STRICT;
  CREATE TABLE life (life INTEGER PRIMARY KEY, ended TEXT) STRICT;
  CREATE TABLE call (
    ordinal INTEGER PRIMARY KEY, life INTEGER NOT NULL, item INTEGER NOT NULL, attempt INTEGER NOT NULL,
    begun_ms REAL NOT NULL, first_sent_ms REAL NOT NULL, sent_ms REAL NOT NULL, previous_wait_ms REAL NOT NULL,
    received_ms REAL, status INTEGER, reply_class TEXT, wait_ms REAL, because TEXT, in_doubt INTEGER
  ) STRICT;
  CREATE TABLE ended (item INTEGER PRIMARY KEY, reason TEXT NOT NULL) STRICT;
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

type Statement = Database.Statement<unknown[]>;

const prepareAll = (
  db: Database.Database,
): Readonly<Record<'reserve' | 'settle' | 'end' | 'calls' | 'ended', Statement>> => ({
  // Nothing is changed, and so the call refused, when the ordinal is not the next one or the item has ended.
  reserve:
    db.prepare(`INSERT INTO call (ordinal, life, item, attempt, begun_ms, first_sent_ms, sent_ms, previous_wait_ms)
      SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8
      WHERE ?1 = (SELECT coalesce(max(ordinal), 0) + 1 FROM call) AND NOT EXISTS (SELECT 1 FROM ended WHERE item = ?3)`),
  settle: db.prepare(`UPDATE call SET received_ms = ?3, status = ?4, reply_class = ?5, wait_ms = ?6, because = ?7,
      in_doubt = ?8 WHERE ordinal = ?1 AND life = ?2 AND reply_class IS NULL`),
  end: db.prepare('INSERT INTO ended (item, reason) VALUES (?1, ?2)'),
  calls: db.prepare('SELECT * FROM call ORDER BY ordinal'),
  ended: db.prepare('SELECT item, reason FROM ended ORDER BY item'),
});

export class StateFile implements TaskStore {
  readonly path: string;
  readonly #db: Database.Database;
  /** What the task was begun with, as text. */
  readonly settings: string;
  readonly #statements: ReturnType<typeof prepareAll>;
  #life = 0;

  private constructor(path: string, db: Database.Database, settings: string) {
    this.path = path;
    this.#db = db;
    this.settings = settings;
    this.#statements = prepareAll(db);
  }

  /**
   * Opens the state of a task, or begins one when there is none and settings are given.
   * @throws InputError when it is in use, damaged, none of ours or of another version
   */
  static open(path: string, sync: Sync, settings?: string): StateFile {
    if (settings === undefined && !existsSync(path))
      throw stateMistake(path, 'is not there; allowed: one that storm task has made');
    const db = held(path);
    try {
      // Checked before the log is turned on, which writes: a file that is refused stays as it was.
      begin(db, settings);
      const begunWith = checked(path, db);
      db.pragma('journal_mode = WAL');
      const file = new StateFile(path, db, begunWith);
      file.sync(sync);
      return file;
    } catch (error) {
      release(db);
      throw stateError(path, error);
    }
  }

  /** What every transaction waits for from now on. */
  sync(sync: Sync): void {
    this.#db.pragma(`synchronous = ${sync === 'full' ? 'FULL' : 'NORMAL'}`);
  }

  /** Whatever is reserved from now on belongs to this process. */
  beginLife(): number {
    this.#write(() => {
      const { lastInsertRowid } = this.#db.prepare('INSERT INTO life (ended) VALUES (NULL)').run();
      this.#life = Number(lastInsertRowid);
    });
    return this.#life;
  }

  /** How this life ended; one that was killed never says. */
  endLife(reason: string): void {
    this.#write(() => this.#db.prepare('UPDATE life SET ended = ? WHERE life = ?').run(reason, this.#life));
  }

  lives(): readonly { readonly life: number; readonly ended: string | null }[] {
    return this.#db.prepare('SELECT life, ended FROM life ORDER BY life').all() as {
      life: number;
      ended: string | null;
    }[];
  }

  reserve({ ordinal, item, attempt, begunMs, firstSentMs, sentMs, previousWaitMs }: ReservedCall): void {
    const { changes } = this.#write(() =>
      this.#statements.reserve.run(ordinal, this.#life, item, attempt, begunMs, firstSentMs, sentMs, previousWaitMs),
    );
    if (changes !== 1) throw new Error(`call ${ordinal} of item ${item} is not the next one, or the item has ended`);
  }

  settle(ordinal: number, result: SettledCall, ended: EndedItem | undefined): void {
    const { receivedMs, status, replyClass, waitMs, because, inDoubt } = result;
    const values = [receivedMs, status, replyClass, waitMs, because, inDoubt ? 1 : 0];
    const write = () => {
      const { changes } = this.#statements.settle.run(ordinal, this.#life, ...values);
      if (changes !== 1) throw new Error(`call ${ordinal} does not wait for a result`);
      if (ended !== undefined) this.#statements.end.run(ended.item, ended.reason);
    };
    if (ended === undefined) this.#write(write);
    else this.#write(() => this.#atOnce(write));
  }

  end({ item, reason }: EndedItem): void {
    this.#write(() => this.#statements.end.run(item, reason));
  }

  *calls(): Iterable<CallRecord> {
    for (const row of this.#statements.calls.iterate() as IterableIterator<CallRow>) yield toRecord(row);
  }

  endedItems(): Iterable<EndedItem> {
    return this.#statements.ended.all() as EndedItem[];
  }

  close(): void {
    release(this.#db);
  }

  /** In one transaction. Not the driver's own, which hides what went wrong behind a rollback that SQLite has done itself. */
  #atOnce(write: () => void): void {
    this.#db.exec('BEGIN');
    try {
      write();
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.inTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  #write<T>(write: () => T): T {
    try {
      return write();
    } catch (error) {
      throw stateError(this.path, error);
    }
  }
}

/** Opens the file and takes the lock, before anything is read or written. */
function held(path: string): Database.Database {
  let db: Database.Database | undefined;
  try {
    db = new Database(path);
    db.pragma('locking_mode = EXCLUSIVE');
    db.exec('BEGIN EXCLUSIVE; COMMIT');
    return db;
  } catch (error) {
    db?.close();
    throw stateError(path, error);
  }
}

/**
 * Lets go of the lock, and folds the log into the file, so that a state at rest is one file. Closing alone would not do:
 * the driver keeps the connection for as long as a statement of it is not collected.
 */
function release(db: Database.Database): void {
  try {
    db.pragma('journal_mode = DELETE');
    db.pragma('locking_mode = NORMAL');
    // The lock goes with the next use.
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
  } finally {
    db.close();
  }
}

const pragmaOf = (db: Database.Database, name: string): unknown => {
  const [row] = db.pragma(name) as Record<string, unknown>[];
  return row?.[name];
};

/** Makes the tables in an empty file, when there is something to begin. */
function begin(db: Database.Database, settings: string | undefined): void {
  const { tables } = db.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() as { tables: number };
  if (tables > 0 || settings === undefined) return;
  db.exec(`BEGIN; ${SCHEMA}`);
  db.prepare('INSERT INTO task (settings, sha256) VALUES (?, ?)').run(settings, sha256(settings));
  db.exec('COMMIT');
}

/** The settings of a state that is ours, of this version and whole. */
function checked(path: string, db: Database.Database): string {
  if (pragmaOf(db, 'application_id') !== APPLICATION_ID)
    throw stateMistake(path, 'is no state file; allowed: one that storm task has made');
  const version = pragmaOf(db, 'user_version');
  if (version !== SCHEMA_VERSION)
    throw stateMistake(path, `has schema version ${version}; allowed: ${SCHEMA_VERSION}, the one of this storm`);
  if (pragmaOf(db, 'quick_check') !== 'ok')
    throw stateMistake(path, 'is damaged; allowed: a whole one, such as a copy');
  const [row] = db.prepare('SELECT settings, sha256 FROM task').all() as { settings: string; sha256: string }[];
  if (row === undefined || sha256(row.settings) !== row.sha256)
    throw stateMistake(path, 'is damaged (its settings are not what was written); allowed: a whole one');
  return row.settings;
}

interface CallRow {
  readonly ordinal: number;
  readonly life: number;
  readonly item: number;
  readonly attempt: number;
  readonly begun_ms: number;
  readonly first_sent_ms: number;
  readonly sent_ms: number;
  readonly previous_wait_ms: number;
  readonly received_ms: number;
  readonly status: number | null;
  readonly reply_class: SettledCall['replyClass'] | null;
  readonly wait_ms: number | null;
  readonly because: string;
  readonly in_doubt: number;
}

function toRecord(row: CallRow): CallRecord {
  const { ordinal, life, item, attempt, reply_class: replyClass } = row;
  return {
    ordinal,
    life,
    item,
    attempt,
    begunMs: row.begun_ms,
    firstSentMs: row.first_sent_ms,
    sentMs: row.sent_ms,
    previousWaitMs: row.previous_wait_ms,
    settled:
      replyClass === null
        ? undefined
        : {
            receivedMs: row.received_ms,
            status: row.status,
            replyClass,
            waitMs: row.wait_ms,
            because: row.because,
            inDoubt: row.in_doubt === 1,
          },
  };
}
