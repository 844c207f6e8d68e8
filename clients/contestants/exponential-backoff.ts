// exponential-backoff around fetch, all defaults: ten attempts at whatever throws.

import { backOff } from 'exponential-backoff';
import type { ItemRequest } from './contract.ts';
import { fetchItem } from './fetch-item.ts';

export default async function item(request: ItemRequest): Promise<void> {
  await backOff(() => fetchItem(request));
}
