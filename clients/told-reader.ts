// What a reply says about when to come back, read once an attempt and remembered by its headers, since most replies of a
// night share them.

import type { Clock, Reply } from './ports.ts';
import { readToldWait, type ToldWaitSettings } from './retry-after/read-told-wait.ts';
import type { ToldWait } from './retry-after/told-wait.ts';

const ABSENT: ToldWait = { kind: 'absent' };

/** Kinds of replies that are remembered. */
const REMEMBERED = 8;

export class ToldReader {
  readonly #settings: ToldWaitSettings;
  readonly #clock: Pick<Clock, 'dateMs'>;
  /** The latest replies whose words do not depend on the time; a handful of kinds makes up a night. */
  readonly #headers: (Reply['headers'] | undefined)[] = new Array(REMEMBERED).fill(undefined);
  readonly #tolds: ToldWait[] = new Array(REMEMBERED).fill(ABSENT);
  #next = 0;

  constructor(settings: ToldWaitSettings, clock: Pick<Clock, 'dateMs'>) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** A success tells no wait, whatever its headers say. */
  read(reply: Reply | undefined): ToldWait {
    if (reply === undefined || reply.status < 400) return ABSENT;
    const known = this.#headers.indexOf(reply.headers);
    if (known >= 0) return this.#tolds[known] as ToldWait;
    const told = readToldWait(reply.headers, this.#clock.dateMs(), this.#settings);
    // What depends on the time of reading is read anew each time.
    if (told.kind === 'absent' || told.kind === 'seconds' || told.kind === 'invalid')
      this.#remember(reply.headers, told);
    return told;
  }

  #remember(headers: Reply['headers'], told: ToldWait): void {
    this.#headers[this.#next] = headers;
    this.#tolds[this.#next] = told;
    this.#next = (this.#next + 1) % REMEMBERED;
  }
}
