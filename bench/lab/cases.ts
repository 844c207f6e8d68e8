// The schedules and stop cases of two documents, as data: what a server answers and how long it takes, and how the operation
// must end. Sources: seed 000 (schedules A and B, nine stops) and seed 002 (a Retry-After beyond the deadline, and one that fits).

/** One reply of the scripted server: how long it takes, its status and its Retry-After. */
export type GivenReply = readonly [tookS: number, status: number, retryAfter: string | null];

export interface LabCase {
  readonly id: string;
  readonly source: 'seed 000' | 'seed 002';
  readonly what: string;
  readonly given: readonly GivenReply[];
  /** The user leaves at this time. */
  readonly cancelAtS?: number;
  /** The calendar is not to be trusted. */
  readonly clockUntrusted?: true;
  /** Every timer wakes so much too late. */
  readonly wakesLateByS?: number;
  readonly expect: {
    readonly outcome: string;
    readonly endS: number;
    readonly attempts: number;
    readonly startsS?: readonly number[];
    readonly requestS?: number;
    readonly waitS?: number;
    /** Reason why the header of the first reply was not read. */
    readonly unreadable?: string;
    /** Of the 20 s (seed 000) or 10 s (seed 002) of the operation. */
    readonly leftS?: number;
  };
}

const unreadable = (header: string, reason: string): LabCase => ({
  id: `header-invalid ${header}`,
  source: 'seed 000',
  what: `Retry-After: ${header} is none; the local fallback of 2 s instead`,
  given: [
    [2, 429, header],
    [2, 200, null],
  ],
  expect: { outcome: 'done', endS: 6, attempts: 2, startsS: [0, 4], unreadable: reason },
});

export const LAB_CASES: readonly LabCase[] = [
  {
    id: 'A-seconds',
    source: 'seed 000',
    what: 'Retry-After in seconds, counted from the receipt of each reply',
    given: [
      [2, 429, '3'],
      [2, 429, '4'],
      [3, 200, null],
    ],
    expect: { outcome: 'done', endS: 14, attempts: 3, startsS: [0, 5, 11], requestS: 7, waitS: 7 },
  },
  {
    id: 'B-dates',
    source: 'seed 000',
    what: 'Retry-After as dates, against the calendar at the receipt',
    given: [
      [2, 429, 'Mon, 01 Jan 2024 12:00:06 GMT'],
      [2, 429, 'Mon, 01 Jan 2024 12:00:12 GMT'],
      [2, 200, null],
    ],
    expect: { outcome: 'done', endS: 14, attempts: 3, startsS: [0, 6, 12], requestS: 6, waitS: 8 },
  },
  {
    id: 'header-absent',
    source: 'seed 000',
    what: 'no Retry-After: the local fallback of 2 s',
    given: [
      [2, 429, null],
      [2, 200, null],
    ],
    expect: { outcome: 'done', endS: 6, attempts: 2, startsS: [0, 4], requestS: 4, waitS: 2 },
  },
  unreadable('1.5', 'fraction'),
  unreadable('-1', 'negative number'),
  unreadable('tomorrow', 'neither seconds nor a date'),
  unreadable('NaN', 'not finite'),
  {
    id: 'wait-exceeds-budget',
    source: 'seed 000',
    what: 'the server asks for more than is left: stop at once, no shorter wait',
    given: [[2, 429, '30']],
    expect: { outcome: 'retry_after_exceeds_deadline', endS: 2, attempts: 1, waitS: 0, leftS: 18 },
  },
  {
    id: 'attempt-does-not-fit',
    source: 'seed 000',
    what: 'the wait fits, the attempt after it does not: next start 18 needs up to 22',
    given: [
      [4, 429, '6'],
      [4, 429, '4'],
    ],
    expect: { outcome: 'deadline', endS: 14, attempts: 2, startsS: [0, 10], requestS: 8, waitS: 6, leftS: 6 },
  },
  {
    id: 'attempts-exhausted',
    source: 'seed 000',
    what: 'three attempts are used up though time is left; Retry-After: 0 still waits the local second',
    given: [
      [2, 429, '0'],
      [2, 429, '0'],
      [2, 429, '0'],
    ],
    expect: { outcome: 'attempts_exhausted', endS: 8, attempts: 3, startsS: [0, 3, 6], leftS: 12 },
  },
  {
    id: 'user-leaves-while-waiting',
    source: 'seed 000',
    what: 'the user leaves at 5, three seconds into a wait of eight',
    given: [[2, 429, '8']],
    cancelAtS: 5,
    expect: { outcome: 'cancelled', endS: 5, attempts: 1, requestS: 2, waitS: 3 },
  },
  {
    id: 'date-with-untrusted-clock',
    source: 'seed 000',
    what: 'a date, and no calendar to read it against: no guess',
    given: [[2, 429, 'Mon, 01 Jan 2024 12:00:06 GMT']],
    clockUntrusted: true,
    expect: { outcome: 'clock_untrusted', endS: 2, attempts: 1 },
  },
  {
    id: 'late-wake-up',
    source: 'seed 000',
    what: 'woken at 18 instead of 10: decided anew from the time it is, and 18 + 4 > 20',
    given: [[4, 429, '6']],
    wakesLateByS: 8,
    expect: { outcome: 'deadline', endS: 18, attempts: 1, leftS: 2 },
  },
  {
    id: 'retry-after-beyond-deadline',
    source: 'seed 002',
    what: 'the second attempt fails at 3 and is told 120 s, of which 7 are left',
    given: [
      [1, 503, null],
      [0, 503, '120'],
    ],
    expect: { outcome: 'retry_after_exceeds_deadline', endS: 3, attempts: 2, startsS: [0, 3], leftS: 7 },
  },
  {
    id: 'retry-after-fits',
    source: 'seed 002',
    what: 'told 3 s instead, a third attempt starts at 6 and is itself cancelled at 10',
    given: [
      [1, 503, null],
      [0, 503, '3'],
      [60, 200, null],
    ],
    expect: { outcome: 'deadline', endS: 10, attempts: 3, startsS: [0, 3, 6], leftS: 0 },
  },
];
