// make-fetch-happen with `retry: 2`, all else by default.

import type { ItemRequest } from './contract.ts';
import { npmFetchItem } from './npm-fetch-item.ts';

export default function item(request: ItemRequest): Promise<void> {
  return npmFetchItem(request, { retry: 2 });
}
