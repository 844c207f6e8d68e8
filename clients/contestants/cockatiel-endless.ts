// cockatiel around fetch with no options at all, which means: again at once, without end.

import { handleAll, retry } from 'cockatiel';
import type { ItemRequest } from './contract.ts';
import { fetchItem } from './fetch-item.ts';

const policy = retry(handleAll, {});

export default async function item(request: ItemRequest): Promise<void> {
  await policy.execute(() => fetchItem(request));
}
