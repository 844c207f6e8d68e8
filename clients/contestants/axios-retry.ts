// axios with axios-retry, all defaults: three retries without a wait.

import axios from 'axios';
import axiosRetry from 'axios-retry';
import type { ItemRequest } from './contract.ts';

const client = axios.create();
axiosRetry(client);

export default async function item({ url, method }: ItemRequest): Promise<void> {
  await client.request({ url, method });
}
