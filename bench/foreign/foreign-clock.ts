// Simulated time for code that knows nothing of it. Time advances to the next event only when nothing moves: no byte between
// client and platform, no file, no immediate, for a few turns of the event loop. One event at a time, so that what happens at
// one moment happens in an order that does not depend on the machine.

import { EventQueue } from '../clocks/event-queue.ts';
import { ForeignError } from './foreign-error.ts';
import { native } from './natives.ts';

/** Something due at a time: a timer of the client, or a reply of the platform. */
export interface Due {
  readonly atMs: number;
  /** Undefined when it was cancelled. */
  run: (() => void) | undefined;
  /** Whether it keeps the night going, as a timer that was not unref'd keeps a process. */
  ref: boolean;
}

/** What the clock asks before time may go on. */
export interface Surroundings {
  /** A number that changes whenever something happened; undefined while something is under way. */
  stillness(): number | undefined;
  /** Names what is under way, for the message. */
  underWay(): string;
  /** What breaks the simulation, if something does. */
  fault(): ForeignError | undefined;
  /** Deals with everything that has come in, in an order of its own; false when nothing had. */
  settle(): boolean;
}

export interface ForeignClockSettings {
  readonly epochMs: number;
  /** Scenario time at which the client starts. */
  readonly startMs: number;
  readonly limitMs: number;
  /** Turns of the event loop without a change after which nothing is under way. */
  readonly quietTurns: number;
  /** Real time without a change after which a night is given up. */
  readonly patienceMs: number;
}

export const FOREIGN_DEFAULTS = { quietTurns: 2, patienceMs: 10_000 } as const;

/** Looking at the machine's clock costs more than a turn. */
const TURNS_PER_LOOK = 256;
/** Immediates of the client at one moment of scenario time: more is a loop that waits for time to pass. */
const MAX_HOLDS = 1_000_000;

export class ForeignClock {
  readonly #events = new EventQueue();
  readonly #settings: ForeignClockSettings;
  readonly #surroundings: Surroundings;
  #nowMs: number;
  #seq = 0;
  #running = false;
  #queued = false;
  #quiet = 0;
  #still: number | undefined;
  #movedAt = 0;
  #turns = 0;
  #refs = 0;
  #holds = 0;
  #holdsNow = 0;
  #finishing = false;
  #onEnd: ((error?: Error) => void) | undefined;
  /** Whether the end of all that keeps the night going is its natural end (a program) or a stall (a client that waits). */
  endsWhenIdle = false;
  /** Set when a limit ended the night. */
  limit: 'time_limit' | 'call_limit' | undefined;

  constructor(settings: ForeignClockSettings, surroundings: Surroundings) {
    this.#settings = settings;
    this.#surroundings = surroundings;
    this.#nowMs = settings.startMs;
  }

  nowMs(): number {
    return this.#nowMs;
  }

  dateMs(): number {
    return this.#settings.epochMs + this.#nowMs;
  }

  /** Whether anything that keeps the night going is due. */
  get busy(): boolean {
    return this.#refs > 0;
  }

  /** Calls `run` in `delayMs`, first in first out among equal times. */
  schedule(delayMs: number, run: () => void, ref = true): Due {
    const due: Due = { atMs: this.#nowMs + delayMs, run, ref };
    if (ref) this.#refs++;
    this.#events.push(due.atMs, this.#seq++, fire, due);
    this.wake();
    return due;
  }

  cancel(due: Due): void {
    if (due.run === undefined) return;
    due.run = undefined;
    if (due.ref) this.#refs--;
  }

  setRef(due: Due, ref: boolean): void {
    if (due.run === undefined || due.ref === ref) return;
    due.ref = ref;
    this.#refs += ref ? 1 : -1;
    this.wake();
  }

  /** Something of the client's is under way that no socket shows, an immediate for one: time waits for its release. */
  hold(): void {
    this.#holds++;
    this.#holdsNow++;
    this.wake();
  }

  release(): void {
    this.#holds--;
  }

  /** Starts time; `onEnd` is called once, with an error when the night can not be trusted. */
  start(onEnd: (error?: Error) => void): void {
    this.#running = true;
    this.#onEnd = onEnd;
    this.#movedAt = native.performanceNow();
    this.wake();
  }

  /** The client is through. What it sent by now is still decided, so that both books know of it; then time ends. */
  finish(): void {
    this.#finishing = true;
    this.wake();
  }

  /** A limit of the night is reached: it ends, and its books are what they are. */
  cut(limit: 'time_limit' | 'call_limit'): void {
    this.limit = limit;
    this.stop();
  }

  stop(error?: Error): void {
    if (!this.#running) return;
    this.#running = false;
    this.#onEnd?.(error);
  }

  /** Something may have happened: look. */
  wake(): void {
    if (!this.#running || this.#queued) return;
    this.#queued = true;
    native.setImmediate(this.#turn);
  }

  readonly #turn = (): void => {
    this.#queued = false;
    if (!this.#running) return;
    // Asked at every turn, since it also tells a watchdog that there are turns.
    const stillness = this.#surroundings.stillness();
    const still = this.#holds > 0 ? undefined : stillness;
    if (still === undefined || still !== this.#still) {
      this.#look(still);
      this.#still = still;
      this.#quiet = 0;
    } else this.#quiet++;
    if (this.#quiet < this.#settings.quietTurns) {
      this.wake();
      return;
    }
    this.#quiet = 0;
    this.#movedAt = 0;
    this.#advance();
  };

  /** Something moves, or is under way: how long has it been? */
  #look(still: number | undefined): void {
    if (still !== undefined && still !== this.#still) this.#movedAt = 0;
    if (this.#holdsNow > MAX_HOLDS) {
      this.stop(new ForeignError('no_progress', `more than ${MAX_HOLDS} immediates at ${this.#nowMs} ms`));
      return;
    }
    if (++this.#turns % TURNS_PER_LOOK !== 0) return;
    const now = native.performanceNow();
    if (this.#movedAt === 0) this.#movedAt = now;
    if (now - this.#movedAt < this.#settings.patienceMs) return;
    this.stop(
      new ForeignError(
        'no_progress',
        `nothing moved for ${this.#settings.patienceMs / 1000} s of real time at ${this.#nowMs} ms of scenario time; under way: ${this.#underWay()}`,
      ),
    );
  }

  #underWay(): string {
    const held = this.#holds > 0 ? `${this.#holds} immediates or calls that work on another thread` : '';
    return [held, this.#surroundings.underWay()].filter((text) => text !== '').join(', ');
  }

  #advance(): void {
    const fault = this.#surroundings.fault();
    if (fault !== undefined) {
      this.stop(fault);
      return;
    }
    if (this.#surroundings.settle()) {
      this.wake();
      return;
    }
    if (this.#finishing) {
      this.stop();
      return;
    }
    while (this.#next() !== undefined && this.#next()?.run === undefined) this.#events.drop();
    if (this.#refs === 0) {
      if (!this.endsWhenIdle)
        this.stop(new ForeignError('stalled', `nothing is due at ${this.#nowMs} ms, and the client still waits`));
      // Otherwise the process ends by itself, or a file or a signal wakes the clock again.
      return;
    }
    const due = this.#next() as Due;
    if (due.atMs > this.#settings.limitMs) {
      this.#nowMs = this.#settings.limitMs;
      this.cut('time_limit');
      return;
    }
    if (due.atMs > this.#nowMs) this.#holdsNow = 0;
    this.#nowMs = due.atMs;
    if (due.ref) this.#refs--;
    this.#still = undefined;
    // Queued first: what a client throws in a timer is its own affair, and time goes on.
    this.wake();
    this.#events.runNext();
  }

  #next(): Due | undefined {
    return this.#events.nextArgument as Due | undefined;
  }
}

function fire(argument: unknown): void {
  const due = argument as Due;
  const { run } = due;
  due.run = undefined;
  run?.();
}
