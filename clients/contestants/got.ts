// got, all defaults.

import got from 'got';
import type { ItemRequest } from './contract.ts';

export default async function item({ url, method }: ItemRequest): Promise<void> {
  await got(url, { method });
}
