// The version of this package, read from its package.json, so that it is written down once.

import { readFileSync } from 'node:fs';

const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
export const VERSION: string = (JSON.parse(text) as { version: string }).version;
