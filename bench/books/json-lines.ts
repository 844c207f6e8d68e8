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
    writeSync(this.#file, this.#lines.join(''));
    this.#lines = [];
  }
}
