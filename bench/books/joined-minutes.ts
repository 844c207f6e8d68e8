// What only both books together know of a night on real time, minute by minute: requests that were sent in one minute and
// arrived in the next, replies that crossed with the client's giving up, requests that were withdrawn before they were read.

import { REPLY_CLASSES, type ReplyClass } from '../../clients/policy.ts';
import { VERDICT_CLASSES, type VerdictClass } from '../../platform-sim/types.ts';

const MINUTE_MS = 60_000;

export type JoinedMinuteRow = Readonly<
  Record<
    | 'minute'
    /** Sent before this minute and arrived in it; sent in it and arrived later. */
    | 'carried_in'
    | 'carried_out'
    /** Given up by the client before the platform had read them, by minute of sending. */
    | 'withdrawn'
    /** What carrying adds to the client's count of a class, below 0 when more went than came. */
    | `moved_${ReplyClass}`
    /** Written by the platform to a client that had just given up, by minute of arrival. */
    | `crossed_${VerdictClass}`,
    number
  >
>;

export const JOINED_COLUMNS = ['minute', 'carried_in', 'carried_out', 'withdrawn', 'crossed'] as const;

/** A row of joined-by-minute.csv. */
export function joinedRow(row: JoinedMinuteRow): Readonly<Record<(typeof JOINED_COLUMNS)[number], number>> {
  return { ...row, crossed: VERDICT_CLASSES.reduce((sum, name) => sum + row[`crossed_${name}`], 0) };
}

export const NOTHING_JOINED = Object.fromEntries(
  [
    'carried_in',
    'carried_out',
    'withdrawn',
    ...REPLY_CLASSES.map((name) => `moved_${name}`),
    ...VERDICT_CLASSES.map((name) => `crossed_${name}`),
  ].map((name) => [name, 0]),
) as Omit<JoinedMinuteRow, 'minute'>;

/** A request as both sides have it. */
export interface JoinedRequest {
  readonly sentMs: number;
  /** Undefined when the platform has no record of it. */
  readonly arrivedMs: number | undefined;
  readonly replyClass: ReplyClass;
  readonly verdict: VerdictClass | undefined;
  readonly match: string;
}

export class JoinedMinutes {
  readonly rows: JoinedMinuteRow[] = [];

  add({ sentMs, arrivedMs, replyClass, verdict, match }: JoinedRequest): void {
    const sent = Math.floor(sentMs / MINUTE_MS);
    if (match === 'withdrawn') this.#count(sent, 'withdrawn', 1);
    if (arrivedMs === undefined) return;
    const arrived = Math.floor(arrivedMs / MINUTE_MS);
    if (match === 'crossed' && verdict !== undefined) this.#count(arrived, `crossed_${verdict}`, 1);
    if (arrived === sent) return;
    this.#count(sent, 'carried_out', 1);
    this.#count(sent, `moved_${replyClass}`, -1);
    this.#count(arrived, 'carried_in', 1);
    this.#count(arrived, `moved_${replyClass}`, 1);
  }

  #count(minute: number, column: keyof JoinedMinuteRow, by: number): void {
    for (let next = this.rows.length; next <= minute; next++) this.rows.push({ ...NOTHING_JOINED, minute: next });
    const row = this.rows[minute] as Record<keyof JoinedMinuteRow, number>;
    row[column] += by;
  }
}
