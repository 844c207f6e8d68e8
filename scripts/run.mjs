// Runs one of the TypeScript programs of this folder: node scripts/run.mjs bench-nights

import { prepare } from './prepare.mjs';

prepare();
const [, , name, ...rest] = process.argv;
process.argv = [process.argv[0] ?? 'node', new URL(`../dist/scripts/${name}.js`, import.meta.url).pathname, ...rest];
await import(`../dist/scripts/${name}.js`);
