// make-fetch-happen, all defaults: no retry.

import type { ItemRequest } from './contract.ts';
import { npmFetchItem } from './npm-fetch-item.ts';

export default function item(request: ItemRequest): Promise<void> {
  return npmFetchItem(request);
}
