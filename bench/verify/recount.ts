// Both books counted anew from requests.csv alone: a row per request, in one pass, holding a table of minutes and a bit per
// request and item.

import { REPLY_CLASSES, type ReplyClass } from '../../clients/policy.ts';
import type { ClientMinuteRow } from '../../clients/tally.ts';
import type { MinuteRow } from '../../platform-sim/meter.ts';
import { VERDICT_CLASSES, type VerdictClass } from '../../platform-sim/types.ts';
import { parseRequestId } from '../../platform-sim/wire.ts';
import { JoinedMinutes } from '../books/joined-minutes.ts';
import { SEEN_AS } from '../books/request-join.ts';
import { numberIn, type TextRow } from '../results-folder/open.ts';

const MINUTE_MS = 60_000;
/** Minutes at most: a month. A row beyond it is a wrong row, not a reason to allocate. */
const MAX_MINUTES = 45_000;

/** Of a request that the platform knows. */
const PLATFORM_COLUMNS = ['arrived_ms', 'verdict', 'billed', 'latency_ms', 'retry_after'] as const;

type Counts<Row> = { -readonly [Key in keyof Row]: number };

export class Recount {
  readonly platform: Counts<MinuteRow>[] = [];
  readonly client: Counts<ClientMinuteRow>[] = [];
  readonly itemsDone = new Set<number>();
  requests = 0;
  /** Of real time: what lies between the books. */
  readonly joined = new JoinedMinutes();
  readonly #client: string;
  readonly #onWall: boolean;
  readonly #ordinals = new Set<number>();
  /** Numbers in the order of arrival, of real time. */
  readonly #arrivals = new Set<number>();
  #arrived = 0;
  readonly #problem: (text: string) => void;

  /**
   * @param problem told of each row that is wrong in itself
   * @param onWall whether the night was on real time, where requests are under way and the sides may cross
   */
  constructor(client: string, problem: (text: string) => void, onWall = false) {
    this.#client = client;
    this.#onWall = onWall;
    this.#problem = problem;
  }

  add(row: TextRow): void {
    this.requests++;
    this.#countId(row);
    const verdict = row.verdict as VerdictClass;
    const reply = row.reply_class as ReplyClass;
    const withdrawn = this.#onWall && row.match === 'withdrawn' && reply === 'no_reply';
    const neverArrived = withdrawn || (row.match === 'never_arrived' && reply === 'never_arrived');
    const arrived = neverArrived && row.arrived_ms === '' ? undefined : this.#minute(row, 'arrived_ms');
    const sent = this.#minute(row, 'sent_ms');
    if (arrived !== undefined) this.#arrived++;
    if (row.arrival !== undefined && row.arrival !== '') this.#arrivals.add(Number(row.arrival));
    if (arrived !== undefined && VERDICT_CLASSES.includes(verdict)) {
      const minute = platformMinute(this.platform, arrived);
      minute.total++;
      minute[verdict]++;
      if (row.billed === '1') minute.billed++;
      if (row.match === 'unheard') minute[`unheard_${verdict}`]++;
    }
    if (sent !== undefined && REPLY_CLASSES.includes(reply)) {
      const minute = clientMinute(this.client, sent);
      minute.attempts++;
      minute[reply]++;
      if (reply === 'ok') this.itemsDone.add(numberIn(row, 'item'));
    }
    if (neverArrived) this.#checkNeverArrived(row);
    else this.#checkMatch(row, verdict, reply);
    if (this.#onWall && sent !== undefined) this.#join(row, arrived, verdict, reply);
  }

  #join(row: TextRow, arrived: number | undefined, verdict: VerdictClass, replyClass: ReplyClass): void {
    const arrivedMs = arrived === undefined ? undefined : numberIn(row, 'arrived_ms');
    this.joined.add({ sentMs: numberIn(row, 'sent_ms'), arrivedMs, replyClass, verdict, match: row.match ?? '' });
  }

  /** The platform's half of the row is empty. */
  #checkNeverArrived(row: TextRow): void {
    for (const column of PLATFORM_COLUMNS) {
      if (row[column] !== '') this.#problem(`${row.request_id}: never arrived, but has ${column} ${row[column]}`);
    }
  }

  #checkMatch(row: TextRow, verdict: VerdictClass, reply: ReplyClass): void {
    if (row.match === 'unheard' && reply === 'no_reply') return;
    if (this.#onWall && row.match === 'crossed' && reply === 'no_reply') return;
    if (SEEN_AS[verdict] !== reply) {
      this.#problem(`${row.request_id}: platform says ${verdict}, client saw ${reply || 'nothing'}`);
    }
    if (row.match !== 'matched') this.#problem(`${row.request_id}: is marked ${row.match}`);
    this.#checkTimes(row);
  }

  /** On simulated time nothing is under way; on real time things take longer than they are meant to, and never less. */
  #checkTimes(row: TextRow): void {
    const [sent, arrived, received] = ['sent_ms', 'arrived_ms', 'received_ms'].map((name) => numberIn(row, name)) as [
      number,
      number,
      number,
    ];
    const due = arrived + numberIn(row, 'latency_ms');
    if (!this.#onWall) {
      if (due !== received) this.#problem(`${row.request_id}: arrived_ms + latency_ms is not received_ms`);
      return;
    }
    if (!(sent <= arrived)) this.#problem(`${row.request_id}: arrived_ms is before sent_ms`);
    if (!(due <= received)) this.#problem(`${row.request_id}: received_ms is before arrived_ms + latency_ms`);
  }

  /** Request ids count from 1 without a gap, and so do arrivals where they have an order of their own. */
  close(): void {
    for (let arrival = 1; this.#onWall && arrival <= this.#arrived; arrival++) {
      if (!this.#arrivals.has(arrival)) this.#problem(`no request is the ${arrival}. to arrive`);
    }
    for (let ordinal = 1; ordinal <= this.requests; ordinal++) {
      if (!this.#ordinals.has(ordinal)) this.#problem(`request ${this.#client}-${ordinal} is missing`);
    }
  }

  #countId(row: TextRow): void {
    const id = parseRequestId(row.request_id ?? '');
    if (id === undefined || id.client !== this.#client)
      this.#problem(`${row.request_id}: no request id of ${this.#client}`);
    else if (this.#ordinals.has(id.ordinal)) this.#problem(`${row.request_id}: twice`);
    else this.#ordinals.add(id.ordinal);
  }

  #minute(row: TextRow, column: string): number | undefined {
    const minute = Math.floor(numberIn(row, column) / MINUTE_MS);
    if (minute >= 0 && minute < MAX_MINUTES) return minute;
    this.#problem(`${row.request_id}: ${column} is ${row[column] || 'empty'}`);
    return undefined;
  }
}

function platformMinute(rows: Counts<MinuteRow>[], minute: number): Counts<MinuteRow> {
  for (let next = rows.length; next <= minute; next++) {
    const classes = Object.fromEntries(
      VERDICT_CLASSES.flatMap((name) => [
        [name, 0],
        [`unheard_${name}`, 0],
      ]),
    );
    rows.push({ minute: next, total: 0, billed: 0, ...classes } as Counts<MinuteRow>);
  }
  return rows[minute] as Counts<MinuteRow>;
}

function clientMinute(rows: Counts<ClientMinuteRow>[], minute: number): Counts<ClientMinuteRow> {
  for (let next = rows.length; next <= minute; next++) {
    const classes = Object.fromEntries(REPLY_CLASSES.map((name) => [name, 0]));
    rows.push({ minute: next, attempts: 0, ...classes } as Counts<ClientMinuteRow>);
  }
  return rows[minute] as Counts<ClientMinuteRow>;
}
