// Adapter over real HTTP: node:http in front of the same decide as in-process.ts. It waits by the scheduler that it is
// given, so that lockstep knows when no byte is under way.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answer, type ReplySchedule } from './http-answer.ts';
import type { VerdictObserver } from './in-process.ts';
import type { Platform } from './platform.ts';
import { parseHost, parseItemPath, parseRequestId, REQUEST_ID_HEADER, ReplyEncoder } from './wire.ts';

export interface HttpPlatform {
  readonly origin: string;
  close(): Promise<void>;
}

/**
 * Serves the platform on the loopback interface.
 * @param schedule gives the time and waits out each verdict's latency
 * @param port 0 for a free one
 */
export async function serveHttp(
  platform: Platform,
  schedule: ReplySchedule,
  observe?: VerdictObserver,
  port = 0,
): Promise<HttpPlatform> {
  const encoder = new ReplyEncoder();
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    // The date that node would add is the machine's, not the scenario's.
    response.sendDate = false;
    const id = parseRequestId(String(request.headers[REQUEST_ID_HEADER] ?? ''));
    const item = parseItemPath(request.url ?? '');
    if (id === undefined || item === undefined) {
      response.writeHead(404, { 'content-length': 0 }).end();
      return;
    }
    const host = parseHost(request.headers.host);
    const asked = { client: id.client, item, host };
    answer({ platform, encoder, schedule }, asked, response, {
      decided: (verdict, nowMs) => observe?.(id.client, id.ordinal, nowMs, verdict, asked),
    });
  };
  // The idle and header limits of node:http run on real time, which simulated time must not be cut by.
  const server = createServer({ keepAlive: true, requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 }, handle);
  await listen(server, port, '127.0.0.1');
  const { port: given } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${given}`, close: () => close(server) };
}

/** @param port 0 for a free one */
export function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
