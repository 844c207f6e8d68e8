// A file of JSON lines read back, record by record.

import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';

export async function* jsonLines<T>(path: string): AsyncGenerator<T, undefined> {
  for await (const text of createInterface({ input: createReadStream(path) })) yield JSON.parse(text) as T;
  return undefined;
}
