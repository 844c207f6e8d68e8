// p-retry around fetch, all defaults: ten retries of whatever throws.

import pRetry from 'p-retry';
import type { ItemRequest } from './contract.ts';
import { fetchItem } from './fetch-item.ts';

export default async function item(request: ItemRequest): Promise<void> {
  await pRetry(() => fetchItem(request));
}
