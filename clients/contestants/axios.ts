// axios with nothing around it: one attempt.

import axios from 'axios';
import type { ItemRequest } from './contract.ts';

const client = axios.create();

export default async function item({ url, method }: ItemRequest): Promise<void> {
  await client.request({ url, method });
}
