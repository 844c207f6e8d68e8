// What the served platform puts up with, in one place: everything that a stranger could make grow has a bound here. Times are
// real ones, whatever the speed of the night.

/** A longer request body is refused with 413 and not read. */
export const MAX_BODY_BYTES = 1 << 20;
/** All header lines of a request; more is 431. */
export const MAX_HEADER_BYTES = 16 * 1024;
/** A longer path is refused with 414. */
export const MAX_PATH_BYTES = 4096;
export const MAX_CONNECTIONS = 1000;
/** Requests that wait for their reply, on all connections together; a pipeline could hold any number. */
export const MAX_IN_FLIGHT = 10_000;
/** Time for the header lines, and for the whole request. */
export const HEADERS_TIMEOUT_MS = 10_000;
export const REQUEST_TIMEOUT_MS = 30_000;
/** How often connections are looked at for these times. */
export const CONNECTION_CHECK_MS = 2000;
/** A connection on which nothing is asked for so long is closed. */
export const IDLE_TIMEOUT_MS = 60_000;
/** Replies under way are waited for so long when the server stops, and connections to close so long after that. */
export const DRAIN_MS = 10_000;
export const CLOSE_MS = 1000;
/** Clients with books of their own; more names share one book. */
export const MAX_CLIENTS = 64;
/** Pairs of a client and what it asked for that are remembered. */
export const MAX_ASKED = 500_000;
/** Paths without a small item number, which the platform keeps apart; more share one set of draws. */
export const MAX_PATHS = 100_000;
/** Scenario time that has room in the books: 31 days. */
export const MAX_MINUTES = 45_000;
