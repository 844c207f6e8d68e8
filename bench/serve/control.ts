// The control endpoints of a served platform, under `/_storm/` and behind a bearer token: start again, look at the books, stop.

import { createHash, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Meter } from '../../platform-sim/meter.ts';
import { toCsv } from '../books/csv.ts';
import { BILLING_COLUMNS, billingRow } from '../books/night-files.ts';
import type { PlatformServer } from './platform-server.ts';
import { JSON_TYPE } from './refusals.ts';
import { servedFacts, servedLedger, servedSummary, tablesOf } from './served-ledger.ts';

const hash = (text: string): Buffer => createHash('sha256').update(text).digest();

export class Control {
  readonly #served: PlatformServer;
  readonly #token: Buffer;
  readonly #stop: () => void;

  constructor(served: PlatformServer, token: string, stop: () => void) {
    this.#served = served;
    this.#token = hash(token);
    this.#stop = stop;
  }

  handle(request: IncomingMessage, response: ServerResponse, target: string): void {
    const { refusals } = this.#served;
    // Before anything else: a stranger does not even learn what there is.
    if (!this.#knows(request.headers.authorization)) {
      refusals.answer(response, 'unauthorized');
      return;
    }
    const [path = '', query = ''] = target.split('?', 2);
    const name = path.slice('/_storm/'.length);
    const wanted = METHOD[name as ControlName];
    if (!Object.hasOwn(METHOD, name) || wanted === undefined) refusals.answer(response, 'not_found');
    else if (request.method !== wanted) refusals.answer(response, 'method');
    else this.#run(name as ControlName, new URLSearchParams(query), response);
  }

  /** Hashes of one length are compared in one time, whatever was sent. */
  #knows(authorization: string | undefined): boolean {
    const [, token = ''] = /^Bearer +(\S+)$/i.exec(authorization ?? '') ?? [];
    return timingSafeEqual(hash(token), this.#token);
  }

  #run(name: ControlName, query: URLSearchParams, response: ServerResponse): void {
    switch (name) {
      case 'reset':
        this.#served.reset();
        sendJson(response, { reset: true });
        break;
      case 'tables':
        this.#tables(query, response);
        break;
      case 'ledger':
        sendJson(response, this.#ledger());
        break;
      case 'stop':
        response.shouldKeepAlive = false;
        sendJson(response, { stopping: true });
        this.#stop();
    }
  }

  /** `?client=NAME` for one of the clients, `?format=csv` for the table of billing by minute as a file has it. */
  #tables(query: URLSearchParams, response: ServerResponse): void {
    const { platform, clients } = this.#served.round;
    const client = query.get('client');
    const meter = client === null ? platform.meter : clients.get(client)?.meter;
    if (meter === undefined) this.#served.refusals.answer(response, 'not_found');
    else if (query.get('format') === 'csv') send(response, 'text/csv', toCsv(BILLING_COLUMNS, billing(meter)));
    else if (client !== null) sendJson(response, { client, minutes: shownRows(meter) });
    else {
      const each = Object.fromEntries([...clients].map(([name, book]) => [name, shownRows(book.meter)]));
      sendJson(response, { minutes: shownRows(meter), clients: each });
    }
  }

  #ledger() {
    const { scenario, seed, speed } = this.#served.settings;
    const tables = tablesOf(this.#served.round);
    const facts = servedFacts(this.#served.round, this.#served.refusals.counts);
    return { ...servedSummary({ scenario, seed, speed }, tables, facts), ledger: servedLedger(tables).byClass };
  }
}

/** What there is, and how it is asked for. */
const METHOD = { reset: 'POST', tables: 'GET', ledger: 'GET', stop: 'POST' } as const;
type ControlName = keyof typeof METHOD;

const billing = (meter: Meter) => meter.rows().map(billingRow);

/** Rows with the columns of the file and no other. */
function shownRows(meter: Meter) {
  return billing(meter).map((row) => Object.fromEntries(BILLING_COLUMNS.map((column) => [column, row[column]])));
}

function sendJson(response: ServerResponse, value: unknown): void {
  send(response, JSON_TYPE, `${JSON.stringify(value)}\n`);
}

function send(response: ServerResponse, type: string, body: string): void {
  const length = Buffer.byteLength(body);
  response.writeHead(200, { 'content-type': type, 'content-length': length, 'cache-control': 'no-store' }).end(body);
}
