// Holds what each error of the network says about the request, by its code, by its system call, and by whether it was sent.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { errors } from 'undici';
import { type NetworkCause, networkCause } from './transport-errors.ts';

fc.configureGlobal({ seed: 20261022 });

type Cause = NetworkCause | undefined;

interface Raised {
  readonly code: string;
  readonly syscall?: string;
}

const raised = (fields: Raised): Error => Object.assign(new Error('raised'), fields);
const many = (...each: readonly Error[]): Error => Object.assign(new AggregateError(each), { code: 'ECONNREFUSED' });

/** An error, and its cause when only the error can tell, when the request was not sent, and when it was. */
const TABLE: readonly (readonly [error: Raised, byItself: Cause, notSent: Cause, sent: Cause])[] = [
  [{ code: 'ECONNREFUSED', syscall: 'connect' }, 'connect_failure', 'connect_failure', 'reset'],
  [{ code: 'EHOSTUNREACH', syscall: 'connect' }, 'connect_failure', 'connect_failure', 'reset'],
  [{ code: 'ENETUNREACH', syscall: 'connect' }, 'connect_failure', 'connect_failure', 'reset'],
  [{ code: 'EADDRNOTAVAIL', syscall: 'connect' }, 'connect_failure', 'connect_failure', 'reset'],
  [{ code: 'ETIMEDOUT', syscall: 'connect' }, 'connect_failure', 'connect_failure', 'reset'],
  [{ code: 'ECONNRESET', syscall: 'connect' }, 'connect_failure', 'connect_failure', 'reset'],
  [{ code: 'UND_ERR_CONNECT_TIMEOUT' }, 'connect_failure', 'connect_failure', 'reset'],
  [{ code: 'EAI_AGAIN', syscall: 'getaddrinfo' }, 'connect_failure', 'connect_failure', 'reset'],
  [{ code: 'ENOTFOUND', syscall: 'getaddrinfo' }, 'connect_impossible', 'connect_impossible', 'reset'],
  [{ code: 'CERT_HAS_EXPIRED' }, 'connect_impossible', 'connect_impossible', 'reset'],
  [{ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }, 'connect_impossible', 'connect_impossible', 'reset'],
  [{ code: 'SELF_SIGNED_CERT_IN_CHAIN' }, 'connect_impossible', 'connect_impossible', 'reset'],
  [{ code: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE' }, 'connect_impossible', 'connect_impossible', 'reset'],
  [{ code: 'ERR_TLS_CERT_ALTNAME_INVALID' }, 'connect_impossible', 'connect_impossible', 'reset'],
  // A handshake that fails looks as a record that is broken later does.
  [{ code: 'ERR_SSL_WRONG_VERSION_NUMBER' }, 'reset', 'connect_impossible', 'reset'],
  [{ code: 'EPROTO' }, 'reset', 'connect_impossible', 'reset'],
  // On an established connection, the system call is a read or a write; of TLS there is none.
  [{ code: 'ETIMEDOUT', syscall: 'read' }, 'reset', 'connect_failure', 'reset'],
  [{ code: 'ECONNRESET', syscall: 'read' }, 'reset', 'connect_failure', 'reset'],
  [{ code: 'ECONNRESET' }, 'reset', 'connect_failure', 'reset'],
  [{ code: 'EPIPE', syscall: 'write' }, 'reset', 'connect_failure', 'reset'],
  [{ code: 'ECONNABORTED', syscall: 'write' }, 'reset', 'connect_failure', 'reset'],
  [{ code: 'UND_ERR_SOCKET' }, 'reset', 'connect_failure', 'reset'],
  [{ code: 'UND_ERR_ABORTED' }, 'reset', 'connect_failure', 'reset'],
  [{ code: 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH' }, 'reset', 'connect_failure', 'reset'],
  [{ code: 'HPE_INVALID_EOF_STATE' }, 'reset', 'connect_failure', 'reset'],
  // No error of the network.
  [{ code: 'UND_ERR_INVALID_ARG' }, undefined, undefined, undefined],
  [{ code: 'UND_ERR_DESTROYED' }, undefined, undefined, undefined],
  [{ code: 'HPE_INVALID_CONSTANT' }, undefined, undefined, undefined],
  [{ code: 'ENOENT', syscall: 'open' }, undefined, undefined, undefined],
];

test('each error, by its code and system call, and by whether the request was sent', () => {
  for (const [fields, ...expected] of TABLE) {
    const found = [undefined, false, true].map((sent) => networkCause(raised(fields), sent));
    assert.deepEqual(found, expected, `${fields.code} ${fields.syscall ?? ''}`);
  }
});

test("undici's own errors have these codes", () => {
  assert.equal(networkCause(new errors.ConnectTimeoutError('late'), undefined), 'connect_failure');
  assert.equal(networkCause(new errors.SocketError('other side closed'), undefined), 'reset');
  assert.equal(networkCause(new errors.ClientDestroyedError('over'), undefined), undefined);
});

test('what is thrown that is no error with a code is none of the network', () => {
  for (const thrown of [undefined, null, 'ECONNRESET', 7, {}, new Error('ours'), new AggregateError([])])
    assert.equal(networkCause(thrown, undefined), undefined, String(thrown));
});

test('several addresses: one that may pass makes all of it pass, one that is permanent alone does not', () => {
  const refused = raised({ code: 'ECONNREFUSED', syscall: 'connect' });
  const expired = raised({ code: 'CERT_HAS_EXPIRED' });
  const cut = raised({ code: 'ECONNRESET', syscall: 'read' });
  const ours = new Error('ours');
  for (const [error, expected] of [
    [many(refused, refused), 'connect_failure'],
    [many(expired, refused), 'connect_failure'],
    [many(expired, expired), 'connect_impossible'],
    [many(expired, ours), 'connect_impossible'],
    [many(refused, many(expired)), 'connect_failure'],
    [many(refused, cut), 'reset'],
    [many(ours), undefined],
    [many(), 'connect_failure'],
  ] as const) {
    assert.equal(networkCause(error, undefined), expected);
  }
});

test('once a request was sent, no error of the network says that it never arrived, nor before that it was cut', () => {
  const code = fc.constantFrom(...TABLE.map(([{ code }]) => code));
  const syscall = fc.constantFrom('connect', 'getaddrinfo', 'read', 'write', undefined);
  const one = fc.record({ code, syscall }).map((fields) => Object.assign(new Error('raised'), fields));
  const any = fc.oneof(
    one,
    fc.array(one, { minLength: 1, maxLength: 3 }).map((each) => many(...each)),
  );
  fc.assert(
    fc.property(any, (error) => {
      assert.ok([undefined, 'reset'].includes(networkCause(error, true)));
      assert.notEqual(networkCause(error, false), 'reset');
    }),
  );
});
