// `storm init`: writes a client module to start from, which knows nothing of the tool but the shape of one function.

import { writeFileSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { Argv } from 'yargs';
import { inputMistake } from '../../input-error.ts';
import { line } from '../screen.ts';

export const command = 'init [file]';
export const describe = 'Write a client module of your own to start from';

export const builder = (yargs: Argv) =>
  yargs
    .positional('file', { type: 'string', default: 'my-client.mjs', describe: 'where; must not exist' })
    .example('$0 init', 'then: storm run storm-night --client ./my-client.mjs');

export const TEMPLATE = `// Called once for each item; put your own client in here. It may import any package and set any timer: time is simulated.
//   item    number of the item, from 1
//   url     where to ask for it
//   origin  the same without the path
//   method  GET or POST (storm run --method)
// Resolve when the item is done, throw when you give it up.

const ATTEMPTS = 4;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @param {{ item: number, url: string, origin: string, method: 'GET' | 'POST' }} request */
export default async function item({ url, method }) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(url, { method });
    await response.text();
    if (response.ok) return;
    if (attempt === ATTEMPTS) throw Object.assign(new Error('gave up'), { code: \`status \${response.status}\` });
    const told = Number(response.headers.get('retry-after') ?? Number.NaN);
    await sleep(told > 0 ? told * 1000 : 200 * 2 ** attempt * (0.5 + Math.random() / 2));
  }
}

// Instead of one function for an item, a whole task can be exported; then concurrency is yours too:
// export async function task({ items, itemUrl, origin }) {}
`;

export function handler({ file }: { readonly file: string }): void {
  try {
    writeFileSync(file, TEMPLATE, { flag: 'wx' });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw inputMistake('command line', '[file]', file, `a file that does not exist, in a folder that does (${code})`);
  }
  line(`wrote ${file}`);
  line(`try it: storm run storm-night --client ${isAbsolute(file) ? file : `./${file}`}`);
}
