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
  /** Stopped from outside. */
  'cancelled',
] as const;
export type StopReason = (typeof STOP_REASONS)[number];
