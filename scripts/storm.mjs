#!/usr/bin/env node
// The command `storm`: prepares the clone if need be, then hands over to the built command line.

import { prepare } from './prepare.mjs';

prepare();
const { main } = await import('../dist/bench/cli/main.js');
process.exitCode = await main(process.argv.slice(2));
