// ky, all defaults.

import ky from 'ky';
import type { ItemRequest } from './contract.ts';

export default async function item({ url, method }: ItemRequest): Promise<void> {
  await ky(url, { method }).text();
}
