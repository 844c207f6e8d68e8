// For tests: a contestant (`?of=` its address) that reads the odd items and writes the even ones, so that one night shows both.

import type { ClientModule, ItemRequest } from './contract.ts';

const contestant = (await import(new URL(import.meta.url).searchParams.get('of') ?? '')) as ClientModule;

export default async function item(request: ItemRequest): Promise<void> {
  await contestant.default?.({ ...request, method: request.item % 2 === 1 ? 'GET' : 'POST' });
}
