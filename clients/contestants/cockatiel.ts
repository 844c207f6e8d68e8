// cockatiel around fetch, as the first example of its page has it: three retries, its exponential backoff by default.

import { ExponentialBackoff, handleAll, retry } from 'cockatiel';
import type { ItemRequest } from './contract.ts';
import { fetchItem } from './fetch-item.ts';

const policy = retry(handleAll, { maxAttempts: 3, backoff: new ExponentialBackoff() });

export default async function item(request: ItemRequest): Promise<void> {
  await policy.execute(() => fetchItem(request));
}
