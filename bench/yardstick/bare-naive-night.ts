// The naive storm night as a bare event loop: callbacks and a queue, no promises, no policies, no HTTP, and the same books,
// down to the retries that came too early. It is what bench:nights measures the real asynchronous client against, and a
// second opinion on its figures.

import { NotBefore } from '../../clients/not-before.ts';
import type { ReplyClass } from '../../clients/policy.ts';
import { DEFAULT_TOLD_WAIT } from '../../clients/retry-after/read-told-wait.ts';
import { type ClientMinuteRow, Tally } from '../../clients/tally.ts';
import { ToldReader } from '../../clients/told-reader.ts';
import type { MinuteRow } from '../../platform-sim/meter.ts';
import { Platform } from '../../platform-sim/platform.ts';
import type { PlatformProfile } from '../../platform-sim/profile.ts';
import { ReplyEncoder, type WireReply } from '../../platform-sim/wire.ts';
import { SEEN_AS } from '../books/request-join.ts';
import { EventQueue, type Run } from '../clocks/event-queue.ts';

export interface BareNaiveSettings {
  readonly items: number;
  readonly startMs: number;
  readonly prepMs: number;
  readonly concurrency: number;
  readonly batchSize: number;
  readonly attempts: number;
  readonly maxPasses: number;
  readonly pauseAfterPassMs: number;
}

export interface BareNight {
  readonly attempts: number;
  readonly itemsDone: number;
  readonly endMs: number;
  readonly rows: MinuteRow[];
  readonly clientRows: ClientMinuteRow[];
  readonly tally: Tally;
}

interface State {
  readonly item: number;
  attempt: number;
  sentMs: number;
  seen: ReplyClass;
  reply: WireReply | undefined;
}

/** What a request goes through but for the time that it takes: the platform's verdict, and the client's books. */
class Exchange {
  readonly platform: Platform;
  readonly tally = new Tally();
  readonly #encoder = new ReplyEncoder();
  readonly #notBefore = new NotBefore();
  readonly #reader: ToldReader;
  #nowMs = 0;

  constructor(profile: PlatformProfile, seed: number) {
    this.platform = new Platform(profile, seed);
    this.#reader = new ToldReader(DEFAULT_TOLD_WAIT, { dateMs: () => profile.epochMs + this.#nowMs });
  }

  /** Returns the latency of the reply. */
  send(state: State, nowMs: number): number {
    this.tally.sent(nowMs);
    if (this.#notBefore.isEarly(state.item, nowMs)) this.tally.earlyRetries++;
    state.sentMs = nowMs;
    const verdict = this.platform.decide({ client: 'naive', item: state.item }, nowMs);
    state.seen = SEEN_AS[verdict.verdictClass];
    state.reply = this.#encoder.encode(verdict);
    return verdict.latencyMs;
  }

  /** Returns whether it was a success. */
  receive(state: State, nowMs: number): boolean {
    this.tally.received(state.sentMs, state.seen);
    if (state.seen === 'ok') {
      this.#notBefore.clear(state.item);
      return true;
    }
    this.#nowMs = nowMs;
    this.#notBefore.hear(state.item, this.#reader.read(state.reply), nowMs);
    return false;
  }
}

export function bareNaiveNight(profile: PlatformProfile, settings: BareNaiveSettings, seed: number): BareNight {
  const exchange = new Exchange(profile, seed);
  const { platform, tally } = exchange;
  const events = new EventQueue();
  const done = new Uint8Array(settings.items + 1);
  let nowMs = 0;
  let seq = 0;
  let first = 1;
  let pass = 0;
  let next = 0;
  let running = 0;
  const size = () => Math.min(settings.batchSize, settings.items - first + 1);
  const at = (delayMs: number, run: Run, argument: unknown) => events.push(nowMs + delayMs, seq++, run, argument);

  const startPass = () => {
    pass++;
    next = 0;
    running = 0;
    while (running < settings.concurrency && next < size()) startItem();
  };
  const startItem = () => {
    running++;
    tally.operations++;
    at(settings.prepMs, send as Run, begun(first + next++));
  };
  const send = (state: State) => at(exchange.send(state, nowMs), receive as Run, state);
  const receive = (state: State) => {
    const ok = exchange.receive(state, nowMs);
    if (ok) done[state.item] = 1;
    else if (state.attempt < settings.attempts) {
      state.attempt++;
      at(settings.prepMs, send as Run, state);
      return;
    }
    tally.ended(ok ? 'success' : 'failure');
    running--;
    if (next < size()) startItem();
    else if (running === 0) at(settings.pauseAfterPassMs, endPass as Run, undefined);
  };
  const endPass = () => {
    let complete = true;
    for (let i = 0; i < size(); i++) if (done[first + i] === 0) complete = false;
    if (complete || pass === settings.maxPasses) {
      first += settings.batchSize;
      pass = 0;
    }
    if (first <= settings.items) startPass();
  };

  at(settings.startMs, startPass as Run, undefined);
  while (events.size > 0) {
    nowMs = events.nextMs;
    events.runNext();
  }
  return toNight(platform, tally, done, nowMs);
}

const begun = (item: number): State => ({ item, attempt: 1, sentMs: 0, seen: 'no_reply', reply: undefined });

function toNight(platform: Platform, tally: Tally, done: Uint8Array, endMs: number): BareNight {
  const itemsDone = done.reduce((sum, one) => sum + one, 0);
  const { attempts } = tally;
  return { attempts, itemsDone, endMs, rows: platform.meter.rows(), clientRows: tally.rows(), tally };
}
