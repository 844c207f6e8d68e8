// A file of JSON lines that grows record by record, in blocks.

import { closeSync, openSync, writeSync } from 'node:fs';

/** Lines kept before they are written: the bound of the buffer. */
const BLOCK = 1000;

export class JsonLines {
  readonly #file: number;
  #lines: string[] = [];

  /** @param path must not exist */
  constructor(path: string) {
    this.#file = openSync(path, 'wx');
  }

  add(record: object): void {
    this.#lines.push(`${JSON.stringify(record)}\n`);
    if (this.#lines.length >= BLOCK) this.#flush();
  }

  close(): void {
    this.#flush();
    closeSync(this.#file);
  }

  #flush(): void {
    const bytes = Buffer.from(this.#lines.join(''), 'utf8');
    // A write may be cut short where there is no room, and tells so only by its length.
    for (let written = 0; written < bytes.length; ) written += writeSync(this.#file, bytes, written);
    this.#lines = [];
  }
}
