// CSV through csv-stringify: whole tables at once, and long ones in blocks as they come. A missing value is an empty cell.

import { closeSync, openSync, writeSync } from 'node:fs';
import { stringify } from 'csv-stringify/sync';

type Cell = string | number | undefined;
/** A record with at least the named columns. */
export type CsvRow<Column extends string> = Readonly<Record<Column, Cell>>;

/** The table as text, with a header line. */
export function toCsv<Column extends string>(columns: readonly Column[], rows: readonly CsvRow<Column>[]): string {
  return stringify([columns, ...rows.map((row) => columns.map((column) => row[column]))]);
}

/** Rows kept before they are written: the bound of the buffer. */
const BLOCK = 1000;

/** A CSV file that grows row by row. */
export class CsvFile<Column extends string> {
  readonly #file: number;
  readonly #columns: readonly Column[];
  #block: Cell[][];

  constructor(path: string, columns: readonly Column[]) {
    this.#file = openSync(path, 'wx');
    this.#columns = columns;
    this.#block = [[...columns]];
  }

  add(row: CsvRow<Column>): void {
    this.#block.push(this.#columns.map((column) => row[column]));
    if (this.#block.length >= BLOCK) this.#flush();
  }

  close(): void {
    this.#flush();
    closeSync(this.#file);
  }

  #flush(): void {
    writeSync(this.#file, stringify(this.#block));
    this.#block = [];
  }
}
