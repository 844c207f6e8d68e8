// The one error that a transport may reject with when an attempt ends without a reply, part of the contract of wire.ts.
// Everything else that it throws is a failure of ours and ends the run.

/** `connection`: it was cut, or never made; `cancelled`: we gave up waiting. Whether the server acted is not known. */
export type NoReplyCause = 'connection' | 'cancelled';

export class NoReplyError extends Error {
  override readonly name = 'NoReplyError';
  readonly why: NoReplyCause;

  constructor(why: NoReplyCause, options?: ErrorOptions) {
    super(`no reply: ${why}`, options);
    this.why = why;
  }
}
