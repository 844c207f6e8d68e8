// opossum around fetch, all defaults: a circuit breaker, no retry.

import CircuitBreaker from 'opossum';
import type { ItemRequest } from './contract.ts';
import { fetchItem } from './fetch-item.ts';

const breaker = new CircuitBreaker(fetchItem);

export default async function item(request: ItemRequest): Promise<void> {
  await breaker.fire(request);
}
