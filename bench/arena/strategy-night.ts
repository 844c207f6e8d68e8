// A night of a strategy with what the arena shows besides its figures: how long an item took, and how operations ended.

import type { TaskObserver } from '../../clients/task.ts';
import { figures } from '../books/figures.ts';
import { discrepancies } from '../books/reconcile.ts';
import { runNight } from '../night.ts';
import type { Scenario } from '../scenario/scenario.ts';
import type { BoutNight } from './arena.ts';

export async function strategyNight(scenario: Scenario, strategy: string, seed: number): Promise<BoutNight> {
  const firstSentMs = new Map<number, number>();
  const itemMs: number[] = [];
  const endings: Record<string, number> = {};
  const ended = (reason: string) => {
    endings[reason] = (endings[reason] ?? 0) + 1;
  };
  const client: TaskObserver = {
    attempt(_ordinal, { operation: { item }, sentMs, receivedMs, replyClass }, decision) {
      const first = firstSentMs.get(item) ?? sentMs;
      firstSentMs.set(item, first);
      if (replyClass === 'ok') itemMs.push(receivedMs - first);
      if (decision.kind === 'stop') ended(decision.reason);
    },
    refused(_operation, _nowMs, decision) {
      if (decision.kind === 'stop') ended(decision.reason);
    },
  };
  const night = await runNight({ scenario, strategy, seed, clock: 'virtual' }, { verdict: () => undefined, client });
  const wrong = discrepancies(night).length;
  return { figures: figures(night), stopReason: night.stopReason, endings, itemMs, discrepancies: wrong };
}
