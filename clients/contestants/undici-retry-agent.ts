// undici: its RetryAgent around an Agent, all defaults.

import { Agent, RetryAgent } from 'undici';
import type { ItemRequest } from './contract.ts';
import { StatusError } from './fetch-item.ts';

const agent = new RetryAgent(new Agent());

export default async function item({ origin, url, method }: ItemRequest): Promise<void> {
  const { body, statusCode } = await agent.request({ origin, path: url.slice(origin.length), method });
  await body.text();
  if (statusCode < 200 || statusCode >= 300) throw new StatusError(statusCode);
}
