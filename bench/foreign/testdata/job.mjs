// One of the jobs as a whole program, node job.mjs NAME ITEMS: its service is told in the environment, or has a name.

import { JOBS } from './jobs.mjs';

const [name, items = '20'] = process.argv.slice(2);
const origin = process.env.STORM_URL;
const itemUrl = (item) => `${origin}/v1/items/${item}`;
const get = async (url) => (await fetch(url)).text();

const MORE = {
  'never ends': () => setInterval(() => get(itemUrl(1)), 1000),
  'exits in the middle': async () => {
    await get(itemUrl(1));
    for (const item of [2, 3, 4]) get(itemUrl(item));
    await new Promise((resolve) => setTimeout(resolve, 20));
    for (const item of [5, 6]) get(itemUrl(item));
    process.on('exit', () => console.log('left with', process.exitCode));
    // After the requests were written, before the platform has read them.
    setImmediate(() => process.exit(3));
  },
  throws: async () => {
    await get(itemUrl(1));
    get(itemUrl(2));
    await new Promise((resolve) => setTimeout(resolve, 20));
    throw new Error('a bug in the job');
  },
  'endless loop': async () => {
    await get(itemUrl(1));
    for (;;);
  },
  'under its own name': async () => {
    await get('http://API.example.com/v1/items/1');
    await get('http://api.example.com:8080/v1/items/2');
    await get('http://other.example.com/v1/items/3');
  },
  'under a name that was not told': () => get('http://unknown.example.com/').catch(() => {}),
  'has kept a timer of the machine': async () => {
    globalThis.keptTimeout(() => {}, 1e9);
    await get(itemUrl(1));
  },
  'tells its environment': () => {
    const left = Object.keys(process.env).filter((key) => /^(STORM_|NODE_OPTIONS)/.test(key));
    console.log(JSON.stringify([left.sort(), process.argv.slice(2)]));
  },
};

const job = JOBS[name] ?? MORE[name];
await job({ items: Number(items), origin, itemUrl });
