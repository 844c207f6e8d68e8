// Adapter over real HTTP: node:http in front of the same decide as in-process.ts. It waits by the scheduler that it is
// given, and tells when a request has been decided, so that lockstep knows when no byte is under way.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Scheduler, VerdictObserver } from './in-process.ts';
import type { Platform } from './platform.ts';
import { parseItemPath, parseRequestId, REQUEST_ID_HEADER, ReplyEncoder, type WireReply } from './wire.ts';

/** Told when a request was read whole and its reply is in the schedule: from then on no byte of it is under way. */
export interface WireWatch {
  requestDecided(): void;
}

export interface HttpPlatform {
  readonly origin: string;
  close(): Promise<void>;
}

interface Pending {
  readonly response: ServerResponse;
  readonly reply: WireReply;
}

/**
 * Serves the platform on a free port of the loopback interface.
 * @param scheduler gives the time and waits out each verdict's latency
 */
export async function serveHttp(
  platform: Platform,
  scheduler: Scheduler,
  watch: WireWatch,
  observe?: VerdictObserver,
): Promise<HttpPlatform> {
  const encoder = new ReplyEncoder();
  const answer = ({ response, reply }: Pending): void => {
    response.writeHead(reply.status, { ...reply.headers, 'content-length': Buffer.byteLength(reply.body) });
    response.end(reply.body);
  };
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    // The date that node would add is the machine's, not the scenario's.
    response.sendDate = false;
    const id = parseRequestId(String(request.headers[REQUEST_ID_HEADER] ?? ''));
    const item = parseItemPath(request.url ?? '');
    if (id === undefined || item === undefined) {
      response.writeHead(404, { 'content-length': 0 }).end();
      return;
    }
    const nowMs = scheduler.nowMs();
    const verdict = platform.decide({ client: id.client, item }, nowMs);
    observe?.(id.client, id.ordinal, nowMs, verdict);
    scheduler.schedule(verdict.latencyMs, answer, { response, reply: encoder.encode(verdict) });
    watch.requestDecided();
  };
  // The idle and header limits of node:http run on real time, which simulated time must not be cut by.
  const server = createServer({ keepAlive: true, requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 }, handle);
  await listen(server);
  const { port } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${port}`, close: () => close(server) };
}

function listen(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
