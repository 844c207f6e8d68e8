// axios with axios-retry and the exponential delay that it brings along; all else by default.

import axios from 'axios';
import axiosRetry, { exponentialDelay } from 'axios-retry';
import type { ItemRequest } from './contract.ts';

const client = axios.create();
axiosRetry(client, { retryDelay: exponentialDelay });

export default async function item({ url, method }: ItemRequest): Promise<void> {
  await client.request({ url, method });
}
