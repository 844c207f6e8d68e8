// What a reply says about when to come back, read once an attempt and remembered by its headers, since most replies of a
// night share them.

import type { Clock, Reply } from './ports.ts';
import { readToldWait, type ToldWaitSettings } from './retry-after/read-told-wait.ts';
import type { ToldWait } from './retry-after/told-wait.ts';

const ABSENT: ToldWait = { kind: 'absent' };

export class ToldReader {
  readonly #settings: ToldWaitSettings;
  readonly #clock: Clock;
  readonly #known = new WeakMap<Reply['headers'], ToldWait>();

  constructor(settings: ToldWaitSettings, clock: Clock) {
    this.#settings = settings;
    this.#clock = clock;
  }

  /** A success tells no wait, whatever its headers say. */
  read(reply: Reply | undefined): ToldWait {
    if (reply === undefined || reply.status < 400) return ABSENT;
    const known = this.#known.get(reply.headers);
    if (known !== undefined) return known;
    const told = readToldWait(reply.headers, this.#clock.dateMs(), this.#settings);
    // What depends on the time of reading is read anew each time.
    if (told.kind === 'absent' || told.kind === 'seconds' || told.kind === 'invalid')
      this.#known.set(reply.headers, told);
    return told;
  }
}
