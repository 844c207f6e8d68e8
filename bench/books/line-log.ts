// A file of JSON lines that outlives whoever writes it: each record is in the file when `add` returns, a line that was torn
// by a death is cut off before the next is written, and a reader tells it from a damaged file (case A45).

import { closeSync, fdatasyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { InputError } from '../input-error.ts';

export interface LinesRead<T> {
  readonly records: readonly T[];
  /** Bytes of the whole lines. */
  readonly wholeBytes: number;
  /** Bytes of a last line that has no end; 0 when there is none. */
  readonly tornBytes: number;
}

const NEWLINE = 10;

/**
 * Reads whole lines. A last line without an end was being written when its writer died: it was acknowledged to nobody, and
 * is counted apart.
 * @throws InputError for a whole line that is no JSON
 */
export function readLines<T extends object>(path: string): LinesRead<T> {
  const bytes = readFileSync(path);
  const wholeBytes = bytes.lastIndexOf(NEWLINE) + 1;
  const lines = bytes.subarray(0, wholeBytes).toString('utf8').split('\n').slice(0, -1);
  const records = lines.map((text, index) => parsed<T>(text, `${path}:${index + 1}`));
  return { records, wholeBytes, tornBytes: bytes.length - wholeBytes };
}

function parsed<T extends object>(text: string, where: string): T {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as T;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new InputError(`${where}: damaged: not a line of JSON; allowed: a file that only its last line may be torn of`);
}

export class LineLog<T extends object> {
  readonly #file: number;
  readonly #sync: boolean;
  #length: number;
  /** What was in the file when it was opened. */
  readonly before: LinesRead<T>;

  /**
   * Opens a log to write on, or begins one. A torn last line is cut off.
   * @param sync whether each record waits for the disk, and so survives the machine
   * @throws InputError when it is damaged
   */
  constructor(path: string, sync: boolean) {
    this.#file = openSync(path, 'a+');
    this.#sync = sync;
    try {
      this.before = readLines<T>(path);
      this.#length = this.before.wholeBytes;
      if (this.before.tornBytes > 0) ftruncateSync(this.#file, this.#length);
    } catch (error) {
      closeSync(this.#file);
      throw error;
    }
  }

  /** @throws when it can not be written whole; then none of it is in the file */
  add(record: T): void {
    const bytes = Buffer.from(`${JSON.stringify(record)}\n`, 'utf8');
    let written = 0;
    try {
      while (written < bytes.length) written += writeSync(this.#file, bytes, written);
    } catch (error) {
      if (written > 0) ftruncateSync(this.#file, this.#length);
      throw error;
    }
    this.#length += bytes.length;
    if (this.#sync) fdatasyncSync(this.#file);
  }

  close(): void {
    closeSync(this.#file);
  }
}
