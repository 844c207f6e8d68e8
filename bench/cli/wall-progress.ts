// How far a run on real time is, for whoever looks at it in the night: a line a client, drawn again on a terminal, written
// every so often into a pipe.

import { MultiBar, Presets } from 'cli-progress';
import { everyMs } from '../clocks/wall-clock.ts';
import { type LiveFigures, NO_BUDGET } from '../wall/live-counts.ts';
import type { PairSpec } from '../wall/thread-pair.ts';
import type { WallRun } from '../wall/wall-run.ts';
import { note, shown } from './screen.ts';

const REDRAW_MS = 500;

export interface WallProgressSettings {
  readonly quiet: boolean;
  /** Real seconds between two lines in a pipe. */
  readonly everyS: number;
}

/** Shows a run until the function that it returns is called. */
export function showWallRun(run: WallRun, { quiet, everyS }: WallProgressSettings): () => void {
  if (quiet) return () => {};
  const labels = labelsOf(run.look().map(({ spec }) => spec));
  const rates = run.look().map(() => new Rate());
  const lines = () =>
    run
      .look()
      .map(({ spec, figures }, index) => wallLine(spec, labels[index] ?? '', figures, rates[index]?.of(figures) ?? 0));
  if (!process.stderr.isTTY)
    return everyMs(everyS * 1000, () => {
      for (const text of lines()) note(text);
    });
  const bars = new MultiBar(
    { format: '{bar} {line}', barsize: 20, stream: process.stderr, clearOnComplete: true, gracefulExit: false },
    Presets.shades_grey,
  );
  const each = run.look().map(({ spec }) => bars.create(spec.scenario.task.items, 0, { line: spec.strategy }));
  const stop = everyMs(REDRAW_MS, () => {
    const texts = lines();
    run.look().forEach(({ figures }, index) => {
      each[index]?.update(figures.done + figures.abandoned, { line: texts[index] ?? '' });
    });
  });
  return () => {
    stop();
    bars.stop();
  };
}

/** Two clients of one name are told apart by their scenario. */
function labelsOf(specs: readonly PairSpec[]): string[] {
  const twice = ({ strategy }: PairSpec) => specs.filter((other) => other.strategy === strategy).length > 1;
  return specs.map((spec) => (twice(spec) ? `${spec.strategy} of ${spec.scenario.name}` : spec.strategy));
}

/** Calls a second of scenario time since the last look. */
class Rate {
  #attempts = 0;
  #scenarioMs = 0;

  of({ attempts, scenarioMs }: LiveFigures): number {
    const seconds = (scenarioMs - this.#scenarioMs) / 1000;
    const calls = attempts - this.#attempts;
    this.#attempts = attempts;
    this.#scenarioMs = scenarioMs;
    return seconds > 0 ? calls / seconds : 0;
  }
}

function wallLine({ scenario, speed }: PairSpec, label: string, figures: LiveFigures, perS: number): string {
  const { done, abandoned, attempts, waits, budgetLeft, billed, scenarioMs } = figures;
  const { items, clientStartMs } = scenario.task;
  const quota = scenario.profile.gates.find((gate) => gate.gate === 'monthly_quota')?.calls;
  const ended = done + abandoned;
  const leftMs = ended === 0 ? undefined : ((scenarioMs - clientStartMs) * (items - ended)) / ended / speed;
  return [
    `${label}: ${shown(done)} of ${shown(items)} items`,
    ...(abandoned > 0 ? [`${shown(abandoned)} abandoned`] : []),
    `${shown(attempts)} calls`,
    `${shown(billed)} billed${quota === undefined ? '' : ` of ${shown(quota)}`}`,
    `${shown(perS)} calls/s`,
    `${shown(waits)} waits`,
    ...(budgetLeft === NO_BUDGET ? [] : [`budget left ${shown(budgetLeft)}`]),
    `at ${clockTime(scenarioMs)}`,
    `${leftMs === undefined ? '?' : clockTime(leftMs)} left`,
  ].join(', ');
}

/** Hours, minutes and seconds. */
function clockTime(ms: number): string {
  const s = Math.max(0, Math.round(ms / 1000));
  const two = (n: number) => String(n).padStart(2, '0');
  return `${Math.floor(s / 3600)}:${two(Math.floor(s / 60) % 60)}:${two(s % 60)}`;
}
