// The one error that a transport may reject with when an attempt ends without a reply, part of the contract of wire.ts.
// Everything else that it throws is a failure of ours and ends the run.

/**
 * What is known of the request:
 * - `reset`: it was sent and the connection was cut; whether the server acted is not known.
 * - `connect_failure`: no connection was made, and the next may be; the request never arrived.
 * - `connect_impossible`: none was made and none will be (unknown name, bad certificate); it never arrived.
 * - `cancelled`: we gave up waiting; whether the server acted is not known.
 */
export const NO_REPLY_CAUSES = ['reset', 'connect_failure', 'connect_impossible', 'cancelled'] as const;
export type NoReplyCause = (typeof NO_REPLY_CAUSES)[number];

export class NoReplyError extends Error {
  override readonly name = 'NoReplyError';
  readonly why: NoReplyCause;

  constructor(why: NoReplyCause, options?: ErrorOptions) {
    super(`no reply: ${why}`, options);
    this.why = why;
  }
}
