// One item by make-fetch-happen, which is the client of npm.

import type { FetchOptions } from 'make-fetch-happen';
import fetch from 'make-fetch-happen';
import type { ItemRequest } from './contract.ts';
import { StatusError } from './fetch-item.ts';

/** @param options beyond the defaults */
export async function npmFetchItem({ url, method }: ItemRequest, options: FetchOptions = {}): Promise<void> {
  const response = await fetch(url, { ...options, method });
  await response.text();
  if (!response.ok) throw new StatusError(response.status);
}
