// A client that is a whole task: asks for something else first, then for its items, and gives up with an error at the third.

import { once } from 'node:events';
import http from 'node:http';

export async function task({ items, origin, itemUrl }) {
  await (await fetch(`${origin}/login`)).text();
  for (let item = 1; item <= items; item++) {
    const [response] = await once(http.get(itemUrl(item)), 'response');
    response.resume();
    await once(response, 'end');
    if (item === 3 && new URL(import.meta.url).search !== '?patient') throw new Error('had enough');
  }
}
