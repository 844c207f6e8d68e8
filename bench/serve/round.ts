// One round of a served platform, from its start or a reset to the next: the platform, its clock, and the books of its clients.

import type { ServerResponse } from 'node:http';
import { DEFAULT_TOLD_WAIT } from '../../clients/retry-after/read-told-wait.ts';
import { ToldReader } from '../../clients/told-reader.ts';
import { dialectBody } from '../../platform-sim/dialects.ts';
import { answer } from '../../platform-sim/http-answer.ts';
import { Platform } from '../../platform-sim/platform.ts';
import type { PlatformProfile } from '../../platform-sim/profile.ts';
import type { Verdict } from '../../platform-sim/types.ts';
import { CLIENT_NAME, ReplyEncoder } from '../../platform-sim/wire.ts';
import { WallClock } from '../clocks/wall-clock.ts';
import { itemOf, resourceKey } from '../foreign/resource.ts';
import { BoundedSet, Room } from './bounded-set.ts';
import { ClientBook } from './client-book.ts';
import { MAX_ASKED, MAX_CLIENTS, MAX_PATHS } from './limits.ts';
import type { PendingReplies } from './pending-replies.ts';

/** A client that does not say its name, and all those beyond the bound. */
export const NAMELESS = 'anonymous';
export const OTHERS = 'other';

/** Items below this one cost the platform nothing to keep apart. */
const SMALL_ITEMS = 1 << 20;

export interface RoundSettings {
  readonly profile: PlatformProfile;
  readonly seed: number;
  readonly speed: number;
}

export class Round {
  readonly clock: WallClock;
  /** Calendar time at scenario time 0, ms since 1970. */
  readonly epochMs: number;
  readonly platform: Platform;
  readonly clients = new Map<string, ClientBook>();
  readonly #encoder = new ReplyEncoder();
  readonly #told: ToldReader;
  readonly #room = new Room(MAX_ASKED);
  readonly #paths = new BoundedSet(new Room(MAX_PATHS));
  readonly #slackMs: number;

  constructor({ profile, seed, speed }: RoundSettings) {
    // HTTP dates have to agree with the calendar of the clients, which is the machine's.
    this.epochMs = new WallClock().dateMs();
    this.clock = new WallClock({ speed, epochMs: this.epochMs });
    this.platform = new Platform({ ...profile, epochMs: this.epochMs }, seed);
    this.#told = new ToldReader(DEFAULT_TOLD_WAIT, this.clock);
    this.#slackMs = Math.ceil(speed);
  }

  /** The book of a client by the name in its header, or undefined when that is no name. */
  bookOf(name: string | string[] | undefined): ClientBook | undefined {
    const asked = name ?? NAMELESS;
    if (typeof asked !== 'string') return undefined;
    const known = this.clients.get(asked);
    if (known !== undefined) return known;
    if (!CLIENT_NAME.test(asked)) return undefined;
    // The last place is for all further names together.
    if (asked !== OTHERS && this.clients.size >= MAX_CLIENTS - 1) return this.bookOf(OTHERS);
    const book = new ClientBook(this.#room, this.#slackMs);
    this.clients.set(asked, book);
    return book;
  }

  /** Decides on a request that was read whole, and sees to its reply. */
  answer(
    book: ClientBook,
    path: string,
    host: string,
    response: ServerResponse,
    pending: PendingReplies,
    sent: (latencyMs: number) => void,
  ): void {
    const item = itemOf(path);
    const key = this.#keyOf(item, path);
    // What is not kept apart shares one set of draws.
    const request = key === undefined ? { client: OTHERS, item: undefined, host } : { client: path, item, host };
    let verdict: Verdict;
    let arrivedMs = 0;
    let tracked = false;
    const schedule = {
      nowMs: () => this.clock.nowMs(),
      reply: (delayMs: number, send: () => void, drop: () => void) => {
        if (delayMs === 0) {
          send();
          return;
        }
        const giveUp = () => {
          drop();
          response.destroy();
        };
        response.once('close', pending.add(this.clock, delayMs, send, giveUp));
      },
    };
    answer({ platform: this.platform, encoder: this.#encoder, schedule }, request, response, {
      decided: (given, nowMs) => {
        verdict = given;
        arrivedMs = nowMs;
        tracked = book.decided(key, given, nowMs);
      },
      ended: (reply) => {
        if (reply === undefined) {
          book.missed(verdict, arrivedMs);
          return;
        }
        const nowMs = this.clock.nowMs();
        sent(nowMs - arrivedMs);
        if (tracked && key !== undefined) book.answered(key, verdict, this.#told.read(reply), nowMs);
      },
      successBody: dialectBody(path),
    });
  }

  /** What is asked for, or undefined when too many are kept apart already. */
  #keyOf(item: number | undefined, path: string): number | undefined {
    if (item !== undefined && item < SMALL_ITEMS) return item;
    const key = item ?? resourceKey(path);
    return this.#paths.admit(key) ? key : undefined;
  }
}
