// The heart of a client: a policy answers, it does not act. Policies are asked in order, each sees what those before it
// proposed, and the one driver (driver.ts) carries out what comes out. How to write one: docs/extending.md.

import type { NoReplyCause } from '../platform-sim/no-reply.ts';
import type { Method, Reply } from './ports.ts';
import type { ToldWait } from './retry-after/told-wait.ts';
import type { StopReason } from './stop-reasons.ts';

/**
 * What the end of an attempt means to a client. The kinds of 429 are told apart by the limit-kind header; `no_reply` is
 * an attempt of which nothing is known but that it was sent, `never_arrived` one for which no connection was made.
 */
export const REPLY_CLASSES = [
  'ok',
  'limit429',
  'quota429',
  'error500',
  'error503',
  'other',
  'no_reply',
  'never_arrived',
] as const;
export type ReplyClass = (typeof REPLY_CLASSES)[number];

/** One logical operation: an item in one pass. It lives from before its first attempt until it succeeds or stops. */
export interface Operation {
  readonly client: string;
  readonly item: number;
  /** Name of the host that the item is asked of: what is kept per host is kept by this. */
  readonly host: string;
  /** Counts from 1; above 1 only for a strategy that replays batches. */
  readonly pass: number;
  readonly startedMs: number;
  readonly method: Method;
  /** Same for every attempt of the operation; undefined when the request carries none. */
  readonly idempotencyKey: string | undefined;
  /** Attempts sent so far; while an attempt is under way, its number. */
  attempts: number;
  /** Ordinal and time of sending of the attempt under way. */
  ordinal: number;
  sentMs: number;
  /** When the first attempt was sent; undefined before. */
  firstSentMs: number | undefined;
  /** The wait before the attempt under way, 0 before the first; decorrelated jitter grows from it. */
  previousWaitMs: number;
  /** What the latest attempt came back as; undefined before the first. */
  last: ReplyClass | undefined;
  /** Whether an attempt may have taken effect that no later one has told of. */
  inDoubt: boolean;
}

/** An attempt that has ended, as policies see it. */
export interface AttemptResult {
  readonly operation: Operation;
  /** Number of the attempt in its operation, from 1. */
  readonly attempt: number;
  readonly sentMs: number;
  readonly receivedMs: number;
  readonly replyClass: ReplyClass;
  /** The reply as received, or undefined when none came. */
  readonly reply: Reply | undefined;
  /** Why none came, or undefined when one did. */
  readonly noReply: NoReplyCause | undefined;
  /** What the reply says about when to come back. */
  readonly told: ToldWait;
}

export interface Retry {
  readonly kind: 'retry';
  /** Time to wait, finite and at least 0. */
  readonly waitMs: number;
  /** Why this wait: an event name of the audit log. */
  readonly because: string;
}

export interface Stop {
  readonly kind: 'stop';
  readonly reason: StopReason;
  /** Whether this ends the operation only, or the whole task at once. */
  readonly scope: 'operation' | 'task';
}

export type Decision = Retry | Stop;

/** One rule of a client, with its state for one task. Every method is optional; a policy with none is the no-op. */
export interface Policy {
  readonly name: string;
  /**
   * Asked right before an attempt is sent. Undefined lets it go; Retry means wait and ask again.
   * A policy that books something here (a budget, a probe) takes it back in `withdraw`.
   */
  admit?(operation: Operation, nowMs: number): Decision | undefined;
  /**
   * Asked of all time that passes before an attempt, whoever asks for it, the preparation included: undefined allows it, a
   * stop ends the operation instead.
   */
  mayWait?(operation: Operation, nowMs: number, waitMs: number): Stop | undefined;
  /** The last moment at which an attempt of the operation may start; undefined for none. Nobody queues beyond it. */
  lastStartMs?(operation: Operation): number | undefined;
  /** An attempt that this policy admitted was refused by a later one and is not sent. */
  withdraw?(operation: Operation): void;
  /** Told of every attempt that ended, whatever came back. */
  settle?(result: AttemptResult): void;
  /**
   * Asked after every attempt that did not succeed.
   * @param proposal what the policies before this one agreed on; undefined when none has an opinion
   * @returns the new proposal; a stop is final and ends the asking
   */
  decide?(result: AttemptResult, proposal: Retry | undefined): Decision | undefined;
  /** How long an attempt sent now may take before it is given up; undefined for no limit. */
  attemptLimitMs?(operation: Operation, nowMs: number): number | undefined;
  /** The operation has ended, for whatever reason. */
  ended?(operation: Operation): void;
  /** What is left of the budgets that this policy keeps, by name: for the decision log. */
  budgetLeft?(operation: Operation, nowMs: number): Readonly<Record<string, number>>;
}
