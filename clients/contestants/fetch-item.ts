// One item by Node's own fetch, the body read whole, and an error for every status that is not a success: what the libraries
// that retry a function, whatever it does, are put around.

import type { ItemRequest } from './contract.ts';

/** An answer that is not a success. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: number;
  readonly code: string;
  readonly retryAfter: string | undefined;

  constructor(status: number, retryAfter?: string) {
    super(`status ${status}`);
    this.status = status;
    this.code = `status ${status}`;
    this.retryAfter = retryAfter;
  }
}

/** @throws StatusError when the status is not 2xx; what fetch throws when no answer came */
export async function fetchItem({ url, method }: ItemRequest): Promise<void> {
  const response = await fetch(url, { method });
  await response.text();
  if (!response.ok) throw new StatusError(response.status, response.headers.get('retry-after') ?? undefined);
}
