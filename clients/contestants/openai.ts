// The SDK of OpenAI, all defaults, called below its resources so that items can be read as well as written.

import OpenAI from 'openai';
import type { ItemRequest } from './contract.ts';

const client = new OpenAI({ apiKey: 'none' });
const BODY = { model: 'simulated', messages: [{ role: 'user', content: 'an item, please' }] };

export default async function item({ url, method }: ItemRequest): Promise<void> {
  const path = `${url}/chat/completions`;
  await (method === 'GET' ? client.get(path) : client.post(path, { body: BODY }));
}
