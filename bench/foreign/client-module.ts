// A client module that a user names on the command line: where it is, what it is called in the books.

import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inputMistake } from '../input-error.ts';

export interface ClientFile {
  /** Name of the client in the books: of the file, without its ending. */
  readonly name: string;
  /** As the user wrote it. */
  readonly path: string;
  readonly module: string;
  readonly sha256: string;
}

const NAME = /^[a-z][a-z0-9-]{0,63}$/;

/** @throws InputError when there is no such file, or its name is none for a client */
export function clientFile(path: string): ClientFile {
  const full = resolve(path);
  if (!existsSync(full) || !statSync(full).isFile())
    throw inputMistake('command line', '--client', path, 'a JavaScript file (storm init writes one)');
  const name = basename(full)
    .replace(/\.[cm]?js$/, '')
    .toLowerCase();
  if (!/\.[cm]?js$/.test(full) || !NAME.test(name))
    throw inputMistake(
      'command line',
      '--client',
      path,
      'a .mjs, .js or .cjs file named with letters, digits and hyphens',
    );
  const sha256 = createHash('sha256').update(readFileSync(full)).digest('hex');
  return { name, path, module: pathToFileURL(full).href, sha256 };
}
