// A night of foreign code with its books by request: requests.csv and the latency histograms, written as it goes.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CsvFile } from '../books/csv.ts';
import { LatencyHistograms } from '../books/histograms.ts';
import { ItemTable } from '../books/items.ts';
import { writeNightFiles } from '../books/night-files.ts';
import { REQUEST_COLUMNS, RequestJoin, type RequestRow } from '../books/request-join.ts';
import type { ForeignNight } from './foreign-night.ts';
import type { TunnelObserver } from './wind-tunnel.ts';

export interface RecordedForeignNight extends ForeignNight {
  /** Requests whose two records do not match. */
  readonly unmatched: number;
}

interface RecorderSettings {
  readonly client: string;
  readonly scenario: { readonly profile: { readonly epochMs: number } };
}

/** Writes the books of one night into a folder as it happens. */
export class ForeignRecorder implements TunnelObserver {
  readonly #folder: string;
  readonly #requests: CsvFile<(typeof REQUEST_COLUMNS)[number]>;
  readonly #latency: LatencyHistograms;
  readonly #ledger: RequestJoin;
  readonly #client: string;
  readonly #items = new ItemTable();
  #unmatched = 0;
  #untold = 0;

  /** @param folder is made; must not exist */
  constructor({ client, scenario }: RecorderSettings, folder: string) {
    mkdirSync(folder);
    this.#folder = folder;
    this.#client = client;
    this.#requests = new CsvFile(join(folder, 'requests.csv'), REQUEST_COLUMNS);
    this.#latency = new LatencyHistograms(scenario.profile.epochMs);
    this.#ledger = new RequestJoin(client, (row) => this.#add(row));
  }

  #add(row: RequestRow): void {
    this.#requests.add(row);
    if (row.match !== 'matched' && row.match !== 'unheard') this.#unmatched++;
    if (row.match === 'matched' && row.sent_ms !== undefined && row.received_ms !== undefined)
      this.#latency.add(row.sent_ms, row.received_ms);
  }

  readonly verdict: TunnelObserver['verdict'] = (ordinal, nowMs, verdict) => {
    // A request that no library told of has no record of the client's: below zero it meets none.
    this.#ledger.verdict(this.#client, ordinal === 0 ? -++this.#untold : ordinal, nowMs, verdict);
  };

  readonly ended: TunnelObserver['ended'] = ({ ordinal, key, sentMs, receivedMs, status, replyClass }) => {
    const attempt = this.#items.add(key, sentMs, receivedMs ?? sentMs, replyClass === 'ok');
    this.#ledger.attempt(ordinal, {
      operation: { item: key, pass: 1 },
      attempt,
      sentMs,
      receivedMs: receivedMs ?? sentMs,
      replyClass: replyClass ?? 'no_reply',
      reply: status === undefined ? undefined : { status },
    });
  };

  /** Writes what is left, when both books are closed. */
  close(result: ForeignNight): RecordedForeignNight {
    this.#ledger.close();
    this.#requests.close();
    writeFileSync(join(this.#folder, 'items.csv'), this.#items.csv(), { flag: 'wx' });
    writeFileSync(join(this.#folder, 'latency.hgrm'), this.#latency.hgrm(), { flag: 'wx' });
    writeFileSync(join(this.#folder, 'latency.hlog'), this.#latency.hlog(), { flag: 'wx' });
    writeNightFiles(result.night, this.#folder);
    return { ...result, unmatched: this.#unmatched };
  }
}
