// Adapter over real HTTP: node:http in front of the same decide as in-process.ts. It waits by the scheduler that it is
// given, so that lockstep knows when no byte is under way.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { VerdictObserver } from './in-process.ts';
import type { Platform } from './platform.ts';
import { parseHost, parseItemPath, parseRequestId, REQUEST_ID_HEADER, ReplyEncoder } from './wire.ts';

/** Waits out the latency of a reply. Called when a request was read whole: from then on no byte of it is under way. */
export interface ReplySchedule {
  nowMs(): number;
  /** Calls `send` in `delayMs`, or `drop` as soon as it is known that nobody waits for the reply any more. */
  reply(delayMs: number, send: () => void, drop: () => void): void;
}

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
    const nowMs = schedule.nowMs();
    const asked = { client: id.client, item, host: parseHost(request.headers.host) };
    const verdict = platform.decide(asked, nowMs);
    observe?.(id.client, id.ordinal, nowMs, verdict, asked);
    const reply = encoder.encode(verdict);
    const drop = () => platform.meter.countUnheard(nowMs, verdict);
    const send = () => {
      // On real time a client may have gone without a word; in lockstep the schedule has dropped the reply by then.
      if (response.destroyed || verdict.lost) {
        drop();
        // Cut within the status line: a kept connection that closes in silence is one that a client may take for stale.
        response.socket?.end('HTTP/1.1 ').destroySoon();
        return;
      }
      response.writeHead(reply.status, { ...reply.headers, 'content-length': Buffer.byteLength(reply.body) });
      response.end(reply.body);
    };
    schedule.reply(verdict.latencyMs, send, drop);
  };
  // The idle and header limits of node:http run on real time, which simulated time must not be cut by.
  const server = createServer({ keepAlive: true, requestTimeout: 0, headersTimeout: 0, keepAliveTimeout: 0 }, handle);
  await listen(server, port);
  const { port: given } = server.address() as AddressInfo;
  return { origin: `http://127.0.0.1:${given}`, close: () => close(server) };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
