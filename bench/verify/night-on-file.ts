// The recorded night of a strategy, put together again from what verify has counted and from its summary.

import { join } from 'node:path';
import type { StopReason } from '../../clients/stop-reasons.ts';
import type { Progress } from '../../clients/task.ts';
import { PROGRESS_COLUMNS } from '../books/night-files.ts';
import type { TwoBooks } from '../books/reconcile.ts';
import type { NightSummary } from '../books/summary.ts';
import type { Night } from '../night.ts';
import type { Manifest } from '../results-folder/manifest.ts';
import { csvRows, numberIn, type TextRow } from '../results-folder/open.ts';

const ms = (seconds: number): number => Math.round(seconds * 1000);

/** @param books as they were counted from requests.csv */
export async function nightOnFile(
  folder: string,
  manifest: Manifest,
  summary: NightSummary,
  { platform, client }: TwoBooks,
): Promise<Night> {
  const { strategy, quota_gone_s, started_s, duration_s } = summary;
  const progress: Progress[] = [];
  if (strategy === 'naive')
    for await (const row of csvRows(join(folder, strategy, 'progress.csv'))) progress.push(progressOf(row));
  return {
    scenario: manifest.scenario,
    scenarioHash: manifest.scenario_hash,
    strategy,
    seed: manifest.seed,
    clock: manifest.clock as Night['clock'],
    platform: {
      minutes: platform.minutes,
      quotaGoneMs: quota_gone_s === null ? undefined : ms(quota_gone_s),
      callsAfterQuota: summary.calls_after_quota,
    },
    client: { minutes: client.minutes, waits: summary.waits, progress },
    items: summary.items,
    operations: summary.operations,
    earlyRetries: summary.early_retries,
    stopReason: summary.stop_reason as StopReason,
    startedMs: ms(started_s),
    endedMs: ms(started_s) + ms(duration_s),
  };
}

function progressOf(row: TextRow): Progress {
  const numbers = Object.fromEntries(PROGRESS_COLUMNS.map((column) => [column, numberIn(row, column)]));
  return { ...(numbers as Record<(typeof PROGRESS_COLUMNS)[number], number>), complete: row.complete === '1' };
}
