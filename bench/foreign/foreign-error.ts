// Why a night of foreign code can not be trusted, or can not go on: named, so that nobody reads its tables.

export const FOREIGN_FAULTS = [
  /** Nothing is left to happen, and the client still waits. */
  'stalled',
  /** Bytes, a connection or a file are under way and never arrive. */
  'no_progress',
  /** A timer of the machine is set: it ends by real time. */
  'escaped_timer',
  /** A socket to something that is not the platform. */
  'socket_elsewhere',
  /** A child process or a worker thread has a time of its own. */
  'outside_process',
  /** The thread did not answer: an endless loop that lets nothing else run. */
  'unresponsive',
] as const;
export type ForeignFault = (typeof FOREIGN_FAULTS)[number];

export class ForeignError extends Error {
  override readonly name = 'ForeignError';
  readonly fault: ForeignFault;
  readonly detail: string;

  constructor(fault: ForeignFault, detail: string) {
    super(`${fault}: ${detail}`);
    this.fault = fault;
    this.detail = detail;
  }
}
