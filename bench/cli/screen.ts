// What `storm` puts on a screen: tables and lines on stdout, progress on stderr where that is a terminal. In a pipe there is
// no progress and no colour; NO_COLOR is obeyed.

import { Presets, SingleBar } from 'cli-progress';
import Table from 'cli-table3';
import pc from 'picocolors';

export function line(text = ''): void {
  process.stdout.write(`${text}\n`);
}

/** A remark that is no result, so that stdout can be piped on. */
export function note(text: string): void {
  process.stderr.write(`${text}\n`);
}

export const mark = {
  good: (text: string) => pc.green(text),
  bad: (text: string) => pc.red(text),
  strong: (text: string) => pc.bold(text),
  faint: (text: string) => pc.dim(text),
};

export type Cell = string | number | undefined;

const PLAIN = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

/** Columns aligned, numbers to the right with thousands marked; no lines drawn. */
export function table(head: readonly string[], rows: readonly (readonly Cell[])[]): string {
  const numeric = head.map((_, column) => rows.some((row) => typeof row[column] === 'number'));
  const drawn = new Table({
    head: head.map((name) => mark.strong(name)),
    chars: PLAIN,
    colAligns: numeric.map((is) => (is ? 'right' : 'left')),
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
  });
  for (const row of rows) drawn.push(row.map(shown));
  return drawn
    .toString()
    .split('\n')
    .map((text) => text.trimEnd())
    .join('\n');
}

export function shown(cell: Cell): string {
  if (cell === undefined) return '';
  if (typeof cell === 'string') return cell;
  return cell.toLocaleString('en-US', { maximumFractionDigits: 1 });
}

export interface Progress {
  step(done: number): void;
  stop(): void;
}

/** A bar on a terminal, nothing in a pipe. */
export function progress(what: string, total: number, quiet = false): Progress {
  if (quiet || !process.stderr.isTTY) return { step: () => {}, stop: () => {} };
  const format = `${what} {bar} {value}/{total}  {eta_formatted} left`;
  const bar = new SingleBar(
    { format, stream: process.stderr, clearOnComplete: true, gracefulExit: false },
    Presets.shades_grey,
  );
  bar.start(total, 0);
  return { step: (done) => bar.increment(done), stop: () => bar.stop() };
}
