// bottleneck around fetch, with the settings of its quick start: one request at a time, three a second, no retry.

import Bottleneck from 'bottleneck';
import type { ItemRequest } from './contract.ts';
import { fetchItem } from './fetch-item.ts';

const limiter = new Bottleneck({ maxConcurrent: 1, minTime: 333 });

export default async function item(request: ItemRequest): Promise<void> {
  await limiter.schedule(() => fetchItem(request));
}
