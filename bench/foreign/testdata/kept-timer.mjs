// A client that has got hold of a timer of the machine, as a library does that was loaded before time was replaced.

import { native } from '../../../dist/bench/foreign/natives.js';

export default () => new Promise((resolve) => native.setTimeout(resolve, 600_000));
