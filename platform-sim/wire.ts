// The wire contract between platform and clients: paths, header names and JSON bodies. The one file of this folder that
// clients may import besides its types.

import type { LimitKind, Verdict } from './types.ts';

/** Tells the three kinds of 429 apart. A quota rejection is not worth repeating, a rate rejection is. */
export const LIMIT_KIND_HEADER = 'x-limit-kind';
export const RETRY_AFTER_HEADER = 'retry-after';
/** Sent by the client, `name-ordinal`; both books write it down and the ledger joins on it. */
export const REQUEST_ID_HEADER = 'x-request-id';
/** Carries the idempotency key, as a structured-field string (draft-ietf-httpapi-idempotency-key-header). */
export const IDEMPOTENCY_KEY_HEADER = 'idempotency-key';
/** Tells several clients of one served platform apart, whatever language they are in. */
export const CLIENT_HEADER = 'x-client';
/** Names of clients: they stand in request ids, headers and names of folders. */
export const CLIENT_NAME = /^[a-z][a-z0-9-]{0,63}$/;
export const ITEM_PATH = '/v1/items/';
/** The host of a request that names none: what dials an address and a port means the platform as a whole. */
export const DEFAULT_HOST = 'platform';

export const itemPath = (item: number): string => ITEM_PATH + item;
export const requestId = (client: string, ordinal: number): string => `${client}-${ordinal}`;

const ID = /^([a-z][a-z0-9-]{0,63})-([1-9][0-9]{0,14})$/;

/** Client and ordinal of a request id, or undefined when the text is none. */
export function parseRequestId(text: string): { client: string; ordinal: number } | undefined {
  const [, client, ordinal] = ID.exec(text) ?? [];
  return client === undefined || ordinal === undefined ? undefined : { client, ordinal: Number(ordinal) };
}

const ITEM = /^\/v1\/items\/(0|[1-9][0-9]{0,8})$/;

/** Item number of a path (0 to 999,999,999), or undefined when the path names none. */
export function parseItemPath(path: string): number | undefined {
  const digits = ITEM.exec(path)?.[1];
  return digits === undefined ? undefined : Number(digits);
}

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** A host name in small letters, up to 253 characters (RFC 1123, 2.1); no port. */
export const HOST_NAME = new RegExp(`^(?=.{1,253}$)${LABEL}(?:\\.${LABEL})*$`);

/** The host that a Host header names. One with a port is the address that was dialled, which names none of ours. */
export function parseHost(text: string | undefined): string {
  return text !== undefined && HOST_NAME.test(text) ? text : DEFAULT_HOST;
}

/** Headers of a reply, names in lower case. */
export type ReplyHeaders = Readonly<Record<string, string>>;

/** What a verdict looks like on the wire. */
export interface WireReply {
  readonly status: number;
  readonly headers: ReplyHeaders;
  readonly body: string;
}

const JSON_TYPE = Object.freeze({ 'content-type': 'application/json' });

const LIMIT_MESSAGES: Readonly<Record<LimitKind, string>> = {
  edge: 'too many requests a second',
  soft: 'slow down',
  quota: 'the monthly quota is used up',
};

function limitBody(kind: LimitKind, retryAfter: string | undefined): string {
  const scope = kind === 'quota' ? 'quota' : 'rate';
  const error = { code: 'limited', scope, kind, message: LIMIT_MESSAGES[kind], retry_after: retryAfter ?? null };
  return JSON.stringify({ error });
}

function build({ status, limitKind, retryAfter }: Verdict): WireReply {
  const wait = retryAfter === undefined ? undefined : { [RETRY_AFTER_HEADER]: retryAfter };
  if (limitKind !== undefined) {
    const headers = { ...JSON_TYPE, [LIMIT_KIND_HEADER]: limitKind, ...wait };
    return { status, headers, body: limitBody(limitKind, retryAfter) };
  }
  if (status >= 400) return { status, headers: { ...JSON_TYPE, ...wait }, body: '{"error":{"code":"backend_failed"}}' };
  return { status, headers: JSON_TYPE, body: '{"data":"ok"}' };
}

/** Turns verdicts into replies; equal neighbours of a class share one frozen reply, which is most of a night. */
export class ReplyEncoder {
  readonly #last = new Map<string, { retryAfter: string | undefined; reply: WireReply }>();

  encode(verdict: Verdict): WireReply {
    const known = this.#last.get(verdict.verdictClass);
    if (known?.retryAfter === verdict.retryAfter && known?.reply.status === verdict.status) return known.reply;
    const reply = build(verdict);
    Object.freeze(reply.headers);
    Object.freeze(reply);
    this.#last.set(verdict.verdictClass, { retryAfter: verdict.retryAfter, reply });
    return reply;
  }
}
