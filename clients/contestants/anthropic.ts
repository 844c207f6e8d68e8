// The SDK of Anthropic, all defaults, called below its resources so that items can be read as well as written.

import Anthropic from '@anthropic-ai/sdk';
import type { ItemRequest } from './contract.ts';

const client = new Anthropic({ apiKey: 'none' });
const BODY = { model: 'simulated', max_tokens: 16, messages: [{ role: 'user', content: 'an item, please' }] };

export default async function item({ url, method }: ItemRequest): Promise<void> {
  const path = `${url}/v1/messages`;
  await (method === 'GET' ? client.get(path) : client.post(path, { body: BODY }));
}
