// fetch-retry around fetch, all defaults: three retries when no answer came, and none for any status.

import fetchRetry from 'fetch-retry';
import type { ItemRequest } from './contract.ts';
import { StatusError } from './fetch-item.ts';

const retrying = fetchRetry(fetch);

export default async function item({ url, method }: ItemRequest): Promise<void> {
  const response = await retrying(url, { method });
  await response.text();
  if (!response.ok) throw new StatusError(response.status);
}
