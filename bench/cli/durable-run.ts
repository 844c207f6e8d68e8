// A life of a durable task on the command line: its ports made, an interrupt drained, its report told, and its ending an exit code.

import type { TaskObserver } from '../../clients/task.ts';
import { UndiciTransport } from '../../clients/undici-transport.ts';
import { type AuditEntry, AuditLog } from '../books/audit-log.ts';
import { LineLog } from '../books/line-log.ts';
import { WallClock } from '../clocks/wall-clock.ts';
import { runLife } from '../durable/durable-task.ts';
import type { StateFile } from '../durable/state-file.ts';
import { type TaskReport, taskReport } from '../durable/task-report.ts';
import type { TaskRun, TaskSettingsFile } from '../durable/task-settings.ts';
import { ExitError } from './exit-codes.ts';
import { drainOnInterrupt } from './interrupt.ts';
import { line, mark, note, progress, table } from './screen.ts';
import { headersFrom, itemPathOf } from './target.ts';

/** @throws ExitError unless every item has ended */
export async function runOnState(state: StateFile, settings: TaskSettingsFile, json: boolean): Promise<void> {
  const { asked, run } = settings;
  const before = taskReport(state, settings);
  tellBefore(before);
  const transport = transportTo(run, asked.strategy.scheduler.concurrency);
  const audit = auditOn(run.audit, asked.name);
  const bar = progress('items', asked.items);
  bar.step(before.items.total - before.items.unfinished);
  let undrain = () => {};
  try {
    await runLife(asked, state, {
      clock: (startMs) =>
        new WallClock({ speed: run.speed, startMs, ...(run.epochMs === null ? {} : { epochMs: run.epochMs }) }),
      transport,
      observers: [...(audit === undefined ? [] : [audit]), ended(() => bar.step(1))],
      running: (task) => {
        undrain = drainOnInterrupt(() => {
          task.stop('cancelled');
          return true;
        });
      },
    });
  } finally {
    undrain();
    bar.stop();
    audit?.close();
    await transport.close();
  }
  conclude(taskReport(state, settings), state.path, json);
}

function tellBefore({ lives, items, calls, interrupted }: TaskReport): void {
  if (lives.begun === 0) return;
  note(
    `going on: ${items.done} of ${items.total} items done, ${calls.reserved} calls reserved, ` +
      `${interrupted.length} of them without a result`,
  );
}

function transportTo({ target, headers }: TaskRun, connections: number): UndiciTransport {
  const path = itemPathOf(target);
  return new UndiciTransport(new URL(target).origin, connections, {
    headers: headersFrom(headers),
    replays: false,
    ...(path === undefined ? {} : { path }),
  });
}

function auditOn(path: string | null, task: string): AuditLog | undefined {
  if (path === null) return undefined;
  const log = new LineLog<AuditEntry>(path, false);
  if (log.before.tornBytes > 0) note(`${path}: cut off a torn last line of ${log.before.tornBytes} bytes`);
  return new AuditLog(log, task, 0);
}

/** Tells of every item that ended. */
function ended(tell: () => void): TaskObserver {
  const look = (decision: { readonly kind: string; readonly scope?: string }) => {
    if (decision.kind === 'stop' && decision.scope === 'operation') tell();
  };
  return {
    attempt: (_ordinal, _result, decision) => look(decision),
    refused: (_operation, _nowMs, decision) => look(decision),
    interrupted: (_result, decision) => look(decision),
  };
}

function conclude(report: TaskReport, path: string, json: boolean): void {
  if (json) process.stdout.write(`${JSON.stringify(report, undefined, 2)}\n`);
  else print(report);
  if (report.discrepancies.length > 0)
    throw new ExitError('booksDiffer', `the books differ: ${report.discrepancies.join('; ')}`);
  const { unfinished } = report.items;
  if (report.ended === 'cancelled')
    throw new ExitError('interrupted', `partial: ${unfinished} items unfinished; storm resume ${path} goes on`);
  if (unfinished > 0)
    throw new ExitError('checkFailed', `stopped by ${report.ended} with ${unfinished} items unfinished`);
}

/** Interrupted calls named on the screen; all of them are in the state, and in --json. */
const MAX_NAMED = 20;

function print({ task, client, items, calls, lives, interrupted, ended: reason }: TaskReport): void {
  line(
    `${mark.strong(task)}  ${client}, ${lives.begun} ${lives.begun === 1 ? 'life' : 'lives'}, ${lives.killed} killed`,
  );
  line(
    table(
      ['items', 'done', 'abandoned', 'unfinished', 'calls', 'results', 'interrupted', 'left', 'ended'],
      [
        [
          items.total,
          items.done,
          items.abandoned,
          items.unfinished,
          calls.reserved,
          calls.results,
          calls.interrupted,
          calls.left ?? 'no budget',
          reason ?? 'killed',
        ],
      ],
    ),
  );
  if (interrupted.length === 0) return;
  const named = interrupted.slice(0, MAX_NAMED).map(({ request_id, item }) => `${request_id} (item ${item})`);
  const more = interrupted.length - named.length;
  line(`without a result: ${named.join(', ')}${more > 0 ? `, and ${more} more` : ''}`);
}
