// A night with its books by request: runs it and writes what grows with it (requests.csv, audit.jsonl, histograms) as it
// goes, so that memory does not.

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Night, type NightSpec, runNight } from '../night.ts';
import { AuditLog } from './audit-log.ts';
import { CsvFile } from './csv.ts';
import { DecisionLog } from './decision-log.ts';
import { LatencyHistograms } from './histograms.ts';
import { JsonLines } from './json-lines.ts';
import { AGREED, REQUEST_COLUMNS, RequestJoin, type RequestRow } from './request-join.ts';

export interface RecordedNight {
  readonly night: Night;
  /** Requests whose two records do not match. */
  readonly unmatched: number;
}

/** @param folder is made; must not exist */
export async function recordNight(spec: NightSpec, folder: string): Promise<RecordedNight> {
  const { scenario } = spec;
  mkdirSync(folder);
  const requests = new CsvFile(join(folder, 'requests.csv'), REQUEST_COLUMNS);
  const audit = new AuditLog(
    new JsonLines(join(folder, 'audit.jsonl')),
    scenario.task.name,
    scenario.task.clientStartMs,
  );
  const decisions = new DecisionLog(join(folder, 'decisions.jsonl'), scenario.task.name, scenario.task.clientStartMs);
  const latency = new LatencyHistograms(scenario.profile.epochMs);
  let unmatched = 0;
  const sink = (row: RequestRow) => {
    requests.add(row);
    if (!AGREED.some((match) => match === row.match)) unmatched++;
    if (row.match === 'matched' && row.sent_ms !== undefined && row.received_ms !== undefined)
      latency.add(row.sent_ms, row.received_ms);
  };
  const ledger = new RequestJoin(spec.strategy, sink);
  try {
    const night = await runNight(spec, {
      verdict: ledger.verdict,
      client: {
        attempt: (ordinal, result, decision, left) => {
          ledger.attempt(ordinal, result, decision);
          audit.attempt(ordinal, result, decision);
          decisions.attempt(ordinal, result, decision, left);
        },
        refused: (operation, nowMs, decision, left) => {
          audit.refused(operation, nowMs, decision);
          decisions.refused(operation, nowMs, decision, left);
        },
      },
    });
    ledger.close();
    return { night, unmatched };
  } finally {
    requests.close();
    audit.close();
    decisions.close();
    writeFileSync(join(folder, 'latency.hgrm'), latency.hgrm());
    writeFileSync(join(folder, 'latency.hlog'), latency.hlog());
  }
}
