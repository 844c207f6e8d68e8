// What a durable task has come to, read off its state alone: the same whether it was killed on the way or not.

import type { CallRecord } from '../../clients/durable/task-store.ts';
import { type InterruptedCall, interruptedLedger } from './interrupted-ledger.ts';
import type { StateFile } from './state-file.ts';
import { budgetOf, type TaskSettingsFile } from './task-settings.ts';

export interface TaskReport {
  readonly task: string;
  readonly client: string;
  readonly items: {
    readonly total: number;
    readonly done: number;
    readonly abandoned: number;
    readonly unfinished: number;
  };
  readonly calls: {
    readonly reserved: number;
    readonly results: number;
    readonly interrupted: number;
    /** What the budget leaves; null without one. */
    readonly left: number | null;
  };
  readonly interrupted: readonly InterruptedCall[];
  readonly lives: { readonly begun: number; readonly killed: number };
  /** Why the last life ended; null while none has, or when it was killed. */
  readonly ended: string | null;
  /** Identities that do not hold. */
  readonly discrepancies: readonly string[];
}

export function taskReport(state: StateFile, { asked }: TaskSettingsFile): TaskReport {
  const calls: readonly CallRecord[] = [...state.calls()];
  const { interrupted, discrepancies } = interruptedLedger(asked.client, calls, undefined);
  const ended = [...state.endedItems()];
  const done = ended.filter(({ reason }) => reason === 'done').length;
  const lives = state.lives();
  const budget = budgetOf(asked);
  return {
    task: asked.name,
    client: asked.client,
    items: { total: asked.items, done, abandoned: ended.length - done, unfinished: asked.items - ended.length },
    calls: {
      reserved: calls.length,
      results: calls.length - interrupted.length,
      interrupted: interrupted.length,
      left: budget === undefined ? null : budget - calls.length,
    },
    interrupted,
    lives: { begun: lives.length, killed: lives.filter((life) => life.ended === null).length },
    ended: lives.at(-1)?.ended ?? null,
    discrepancies,
  };
}
