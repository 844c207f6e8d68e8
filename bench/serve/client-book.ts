// What the platform knows of one of its clients: its calls by class and minute, what it asked for and got, and how often it came
// back before the time that it had been told. The words are our own headers, so nothing is guessed.

import { NotBefore } from '../../clients/not-before.ts';
import type { ToldWait } from '../../clients/retry-after/told-wait.ts';
import { Meter } from '../../platform-sim/meter.ts';
import { VERDICT_CLASSES, type Verdict, type VerdictClass } from '../../platform-sim/types.ts';
import { BoundedSet, type Room } from './bounded-set.ts';

export class ClientBook {
  readonly meter = new Meter();
  /** Sums of the meter's columns as they stand now, for the metrics. */
  readonly calls = Object.fromEntries(VERDICT_CLASSES.map((name) => [name, 0])) as Record<VerdictClass, number>;
  billed = 0;
  unheard = 0;
  earlyRetries = 0;
  /** Calls for what there was no room to remember: they can be neither early nor done. */
  untracked = 0;
  readonly #asked: BoundedSet;
  readonly #done = new Set<number>();
  readonly #notBefore = new NotBefore();
  readonly #slackMs: number;

  /** @param slackMs how far apart two timers may be, in scenario time: a client's timer and ours round differently */
  constructor(room: Room, slackMs: number) {
    this.#asked = new BoundedSet(room);
    this.#slackMs = slackMs;
  }

  /** Things asked for, and those that were answered with a success at least once. */
  get asked(): number {
    return this.#asked.size;
  }

  get done(): number {
    return this.#done.size;
  }

  /**
   * @param key what was asked for; undefined when the platform does not keep it apart
   * @returns whether the answer has to be told
   */
  decided(key: number | undefined, verdict: Verdict, nowMs: number): boolean {
    this.meter.count(nowMs, verdict);
    this.calls[verdict.verdictClass]++;
    if (verdict.billed) this.billed++;
    if (key === undefined || !this.#asked.admit(key)) {
      this.untracked++;
      return false;
    }
    if (this.#notBefore.isEarly(key, nowMs + this.#slackMs)) this.earlyRetries++;
    return true;
  }

  /** The reply is handed over. */
  answered(key: number, { verdictClass }: Verdict, told: ToldWait, nowMs: number): void {
    if (verdictClass === 'ok') {
      this.#done.add(key);
      this.#notBefore.clear(key);
    } else this.#notBefore.hear(key, told, nowMs);
  }

  /** The reply reached nobody. */
  missed(verdict: Verdict, arrivedMs: number): void {
    this.unheard++;
    this.meter.countUnheard(arrivedMs, verdict);
  }
}
