// For tests: a night of a contestant in a thread of its own, with its requests as they were sent and answered.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { parse } from 'csv-parse/sync';
import { runInWorker } from '../../bench/foreign/in-worker.ts';
import type { RecordedForeignNight } from '../../bench/foreign/record-foreign.ts';
import { parseScenario } from '../../bench/scenario/load.ts';
import type { Scenario } from '../../bench/scenario/scenario.ts';
import { SourceFile } from '../../bench/scenario/source-file.ts';
import { changedPreset, temporaryFolder } from '../../bench/testing.ts';
import { CONTESTANTS, moduleOf } from './catalogue.ts';

/** The item counts: odd ones are read, even ones written. */
export interface Request {
  readonly item: number;
  readonly sentMs: number;
  readonly receivedMs: number;
}

export interface ContestantNight extends RecordedForeignNight {
  readonly requests: readonly Request[];
  /** Everything that the night left, to be compared byte by byte. */
  readonly bytes: string;
}

export const SEED = 1;

interface Settings {
  readonly concurrency: number;
  readonly maxCalls: number;
  readonly quietTurns?: number;
}

export async function contestantNight(
  test: TestContext,
  name: string,
  scenario: Scenario,
  settings: Settings,
): Promise<ContestantNight> {
  const contestant = CONTESTANTS[name];
  assert.ok(contestant !== undefined, name);
  const module = new URL('./testing-both-methods.js', import.meta.url);
  module.searchParams.set('of', moduleOf(contestant));
  const folder = join(temporaryFolder(test), 'night');
  const spec = { scenario, seed: SEED, client: name, module: module.href, method: 'GET', ...settings } as const;
  const night = await runInWorker(spec, folder);
  const csv = readFileSync(join(folder, 'requests.csv'), 'utf8');
  return { ...night, requests: requestsOf(csv), bytes: JSON.stringify(night) + csv };
}

interface ScriptedReply {
  readonly status: number;
  readonly retry_after?: string;
}

/** One GET, one POST, and between them longer than a breaker stays open: one's failure is not to be the other's affair. */
const PAIR = { items: 2, prepMs: 60_000 } as const;

/** A platform that answers every item by this script. */
export function scripted(
  reply: ScriptedReply,
  after: 'ok' | 'last',
  task: { readonly items: number; readonly prepMs: number } = PAIR,
): Scenario {
  const text = changedPreset('scripted', {
    'platform.gates.0.replies': [reply],
    'platform.gates.0.after': after,
    'task.items': task.items,
    'task.prep_ms': task.prepMs,
  });
  return parseScenario(SourceFile.parse('scripted.yaml', text)).scenario;
}

/** Waits between what came back and what was sent next, of one item. */
export function delaysOf({ requests }: ContestantNight, item: number): number[] {
  const own = requests.filter((request) => request.item === item);
  return own.slice(1).map(({ sentMs }, i) => sentMs - (own[i]?.receivedMs ?? Number.NaN));
}

function requestsOf(csv: string): Request[] {
  const rows = parse(csv, { columns: true }) as Record<string, string>[];
  return rows.map(({ item, sent_ms: sent, received_ms: received }) => ({
    item: Number(item),
    sentMs: Number(sent),
    receivedMs: Number(received),
  }));
}
