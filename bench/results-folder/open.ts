// A results folder opened for reading: its manifest checked, its CSV files row by row.

import { createReadStream, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse';
import { inputMistake } from '../input-error.ts';
import { SourceFile } from '../scenario/source-file.ts';
import { MANIFEST, type Manifest, manifestSchema } from './manifest.ts';

/** @throws InputError when the folder is none of ours */
export function openManifest(folder: string): Manifest {
  const path = join(folder, MANIFEST);
  if (statSync(path, { throwIfNoEntry: false })?.isFile() !== true)
    throw inputMistake('command line', '<results>', folder, `a folder that holds a ${MANIFEST}`);
  // JSON is YAML: one reader gives one kind of message.
  const file = SourceFile.parse(path, readFileSync(path, 'utf8'));
  return file.check(manifestSchema, file.value);
}

export type TextRow = Readonly<Record<string, string>>;

/** The rows of a CSV file by column name, as they stand; a file that is not there is an error of the reader's. */
export async function* csvRows(path: string): AsyncGenerator<TextRow> {
  const file = createReadStream(path);
  const rows = file.pipe(parse({ columns: true }));
  file.once('error', (error) => rows.destroy(error));
  for await (const row of rows) yield row as TextRow;
}

/** A cell as a number; a cell that holds none is NaN, which equals nothing. */
export function numberIn(row: TextRow, column: string): number {
  const text = row[column];
  return text === undefined || text === '' ? Number.NaN : Number(text);
}
