// What the served platform refuses before it is a call: no verdict, no bill, but counted by reason. The answers are small, fixed
// and hold nothing of the request.

import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Status and words of each refusal. */
const ANSWERS = {
  malformed: [400, 'not HTTP as this server reads it'],
  client_name: [400, 'x-client: small letters, digits and dashes, a letter first, up to 64'],
  unauthorized: [401, 'control needs the bearer token'],
  cross_origin: [403, 'asked for by a page of another origin'],
  not_found: [404, 'no such control'],
  method: [405, 'not with this method'],
  timeout: [408, 'the request took too long'],
  body_too_large: [413, 'the body is too large'],
  path_too_long: [414, 'the path is too long'],
  headers_too_large: [431, 'the header lines are too large'],
  too_many_in_flight: [503, 'too many requests wait for their reply'],
  too_late: [503, 'the books are full: reset'],
  stopping: [503, 'the platform is stopping'],
} as const;
export type AnsweredRefusal = keyof typeof ANSWERS;

/** With those that are not even answered: connections beyond the bound. */
export const REFUSALS = [...(Object.keys(ANSWERS) as AnsweredRefusal[]), 'too_many_connections'] as const;
export type Refusal = (typeof REFUSALS)[number];

export const JSON_TYPE = 'application/json';

const bodyOf = (refusal: AnsweredRefusal): string =>
  `${JSON.stringify({ error: { code: refusal, message: ANSWERS[refusal][1] } })}\n`;

/** Error codes of node:http that say more than that a request could not be read. */
const PARSER_ERRORS: Readonly<Record<string, AnsweredRefusal>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'body_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'timeout',
};

export class Refusals {
  readonly counts = Object.fromEntries(REFUSALS.map((name) => [name, 0])) as Record<Refusal, number>;

  /** The connection ends with it, so that whatever else was sent on it needs not be read. */
  answer(response: ServerResponse, refusal: AnsweredRefusal): void {
    this.counts[refusal]++;
    if (response.headersSent || response.destroyed) return;
    const body = bodyOf(refusal);
    const more = refusal === 'unauthorized' ? { 'www-authenticate': 'Bearer' } : undefined;
    const headers = { connection: 'close', 'content-type': JSON_TYPE, 'content-length': body.length, ...more };
    response.writeHead(ANSWERS[refusal][0], headers).end(body);
  }

  /** What never became a request. */
  socket(socket: Socket, error: NodeJS.ErrnoException): void {
    const refusal = PARSER_ERRORS[error.code ?? ''] ?? 'malformed';
    // A connection that was reset says nothing about what was on it.
    if (error.code !== 'ECONNRESET') this.counts[refusal]++;
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy();
      return;
    }
    const body = bodyOf(refusal);
    const head = `content-type: ${JSON_TYPE}\r\ncontent-length: ${body.length}\r\nconnection: close`;
    // Destroyed when it is written: a peer that never closes its side must not keep the socket.
    socket.end(`HTTP/1.1 ${ANSWERS[refusal][0]} Refused\r\n${head}\r\n\r\n${body}`, () => socket.destroy());
  }
}
