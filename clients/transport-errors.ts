// What an error of the network says about the request: cut off, not connected for now, or never to be connected. Codes are
// those of Node, OpenSSL and undici; the system call tells connecting from a connection that stands.

import type { NoReplyCause } from '../platform-sim/no-reply.ts';

/** What of a request an error of the network can say; `cancelled` is for the caller to know. */
export type NetworkCause = Exclude<NoReplyCause, 'cancelled'>;

/** Only ever told before a request is written. */
const NOT_CONNECTED = ['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT'];

/** A chunked reply that stops before its end; undici leaves the code of the parser's error out. */
const EOF_MESSAGE = '(Invalid EOF state)';
const EOF_CODE = 'HPE_INVALID_EOF_STATE';

/** Told while connecting or later. The last two are a reply that stops before its end. */
const CUT = [
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_ABORTED',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  EOF_CODE,
];

/** A name that is none, and what node:tls says of a certificate that it does not trust (X509_V_ERR_* of OpenSSL). */
const NEVER = [
  'ENOTFOUND',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'CERT_CHAIN_TOO_LONG',
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'CERT_REJECTED',
  'CERT_REVOKED',
  'CERT_SIGNATURE_FAILURE',
  'CERT_UNTRUSTED',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'HOSTNAME_MISMATCH',
  'INVALID_CA',
  'INVALID_PURPOSE',
  'PATH_LENGTH_EXCEEDED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];

const CAUSES = new Map<unknown, NetworkCause>([
  ...NOT_CONNECTED.map((code) => [code, 'connect_failure'] as const),
  ...CUT.map((code) => [code, 'reset'] as const),
  ...NEVER.map((code) => [code, 'connect_impossible'] as const),
]);

/** Of several errors the one that leaves most open counts: what may have acted is not called safe, nor what may pass hopeless. */
const MOST_OPEN_FIRST: readonly NetworkCause[] = ['reset', 'connect_failure', 'connect_impossible'];

interface NetworkError {
  readonly code?: unknown;
  readonly message?: unknown;
  readonly syscall?: unknown;
  /** Of an AggregateError: one for each address that was tried (Happy Eyeballs, RFC 8305). */
  readonly errors?: unknown;
}

/**
 * Undefined when the error is none of the network's.
 * @param sent whether the request was written to a connection; undefined when only the error can tell
 */
export function networkCause(error: unknown, sent: boolean | undefined): NetworkCause | undefined {
  if (typeof error !== 'object' || error === null) return undefined;
  const { syscall, errors } = error as NetworkError;
  if (Array.isArray(errors) && errors.length > 0) {
    const causes = errors.map((each) => networkCause(each, sent));
    return MOST_OPEN_FIRST.find((cause) => causes.includes(cause));
  }
  const code = codeOf(error);
  const known = CAUSES.get(code) ?? (isHandshake(code) ? 'reset' : undefined);
  const connecting = syscall === 'connect' || syscall === 'getaddrinfo';
  if (known === undefined && !connecting) return undefined;
  if (sent === true) return 'reset';
  if (known === 'connect_impossible' || (sent === false && isHandshake(code))) return 'connect_impossible';
  return known === 'reset' && !connecting && sent === undefined ? 'reset' : 'connect_failure';
}

function codeOf({ code, message }: NetworkError): unknown {
  return code === undefined && typeof message === 'string' && message.endsWith(EOF_MESSAGE) ? EOF_CODE : code;
}

/** The two sides do not agree on TLS, or one does not speak it; on a connection that stands it is broken off. */
function isHandshake(code: unknown): boolean {
  return code === 'EPROTO' || (typeof code === 'string' && code.startsWith('ERR_SSL_'));
}
