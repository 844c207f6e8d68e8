// For tests of the served platform: a server on a free port, and requests as a stranger might send them, down to raw bytes.

import { once } from 'node:events';
import { type IncomingHttpHeaders, type RequestOptions, request } from 'node:http';
import { connect } from 'node:net';
import { smallStorm } from '../testing.ts';
import { PlatformServer, type ServerSettings } from './platform-server.ts';

export const TOKEN = 'only-for-tests';

/** No waits and no chance: every call is billed and answered 200 at once. */
export const SERENE = {
  'platform.latency_ms': [0, 0],
  'platform.rejection_latency_ms': [0, 0],
  'platform.overhead_ms': 0,
  'platform.gates.0.burst': 1_000_000,
  'platform.gates.1.rate': 0,
  'platform.gates.4.rate': 0,
} as const;

export async function serve(
  t: { after(done: () => void): void },
  changes: Readonly<Record<string, unknown>> = SERENE,
  settings: Partial<ServerSettings> = {},
): Promise<PlatformServer> {
  const scenario = smallStorm({ fitted: [], ...changes });
  const served = new PlatformServer({
    scenario,
    seed: 1,
    speed: 1,
    host: '127.0.0.1',
    port: 0,
    token: TOKEN,
    ...settings,
  });
  await served.listen();
  t.after(() => served.close());
  return served;
}

export interface Got {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export function ask(
  origin: string,
  path: string,
  { body, ...options }: RequestOptions & { body?: string } = {},
): Promise<Got> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, agent: false, ...options }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text }));
      response.on('error', reject);
    });
    sent.on('error', reject).end(body);
  });
}

/** A control endpoint, with the token or another one. */
export const control = (origin: string, name: string, method = 'GET', token = TOKEN): Promise<Got> =>
  ask(origin, `/_storm/${name}`, { method, headers: { authorization: `Bearer ${token}` } });

/** Everything that comes back for these bytes until the server closes. */
export async function raw(origin: string, bytes: string | Buffer): Promise<string> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port) });
  let text = '';
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
  });
  socket.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') throw error;
  });
  socket.write(bytes);
  await once(socket, 'close');
  return text;
}

export const openConnections = ({ server }: PlatformServer): Promise<number> =>
  new Promise((resolve, reject) => {
    server.getConnections((error, count) => (error === null ? resolve(count) : reject(error)));
  });
