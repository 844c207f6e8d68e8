// The closed list of reasons for which an operation or a whole task ends. The last response is kept apart from it.

export const STOP_REASONS = [
  /** Succeeded. */
  'done',
  /** The attempt cap was reached. */
  'attempts_exhausted',
  /** The task's call budget was spent. */
  'budget_exceeded',
  /** The platform said that the quota is gone; a rate limit is not this. */
  'quota_exhausted',
  /** The circuit breaker refused the attempt, or kept refusing for too long. */
  'circuit_open',
  /** A server's wait is longer than the client is willing to wait. */
  'retry_after_exceeds_limit',
  /** A server's wait ends after the deadline of the operation. */
  'retry_after_exceeds_deadline',
  /** The next attempt does not fit into the time that the operation has left. */
  'deadline',
  /** A wait was told as a date, and the calendar is not to be trusted. */
  'clock_untrusted',
  /** Trying again can not help. */
  'permanent_failure',
  /** The server may have acted, and the request must not be repeated. */
  'outcome_unknown',
  /** The budget of retries, not of calls, was spent. */
  'retry_budget_exhausted',
  /** A success that is not what was asked for: nothing that a retry repairs. */
  'validation_failed',
  /** The night was cut at its limit of scenario time. */
  'time_limit',
  /** The night was cut at its limit of calls. */
  'call_limit',
  /** A driven program ended with an error. */
  'program_failed',
  /** Stopped from outside. */
  'cancelled',
] as const;
export type StopReason = (typeof STOP_REASONS)[number];
