// Priority queue of (atMs, seq): earliest first, ties first in first out. A binary heap of small records, since it is the
// innermost loop of a virtual night.

/** What happens at a time: a function and its one argument, so that a sleep needs no closure. */
export type Run = (argument: unknown) => void;

interface Event {
  readonly atMs: number;
  readonly seq: number;
  readonly run: Run;
  readonly argument: unknown;
}

export class EventQueue {
  readonly #heap: Event[] = [];

  get size(): number {
    return this.#heap.length;
  }

  /** Time of the earliest event, or Infinity. */
  get nextMs(): number {
    return this.#heap[0]?.atMs ?? Number.POSITIVE_INFINITY;
  }

  push(atMs: number, seq: number, run: Run, argument: unknown): void {
    const heap = this.#heap;
    const event: Event = { atMs, seq, run, argument };
    let hole = heap.length;
    heap.push(event);
    while (hole > 0) {
      const above = (hole - 1) >> 1;
      const parent = heap[above] as Event;
      if (before(parent, event)) break;
      heap[hole] = parent;
      hole = above;
    }
    heap[hole] = event;
  }

  /** What the earliest event will be called with, or undefined. */
  get nextArgument(): unknown {
    return this.#heap[0]?.argument;
  }

  /** Removes the earliest event and calls it; false when there is none. */
  runNext(): boolean {
    const first = this.#heap[0];
    if (first === undefined) return false;
    this.drop();
    first.run(first.argument);
    return true;
  }

  /** Removes the earliest event, which was cancelled, without a call. */
  drop(): void {
    const first = this.#heap[0];
    const last = this.#heap.pop();
    if (last !== undefined && last !== first) this.#sink(last);
  }

  /** Puts `event` where the first one was and lets it sink to its place. */
  #sink(event: Event): void {
    const heap = this.#heap;
    const size = heap.length;
    let hole = 0;
    for (let below = 1; below < size; below = 2 * hole + 1) {
      let child = heap[below] as Event;
      const right = heap[below + 1];
      if (right !== undefined && before(right, child)) {
        child = right;
        below++;
      }
      if (before(event, child)) break;
      heap[hole] = child;
      hole = below;
    }
    heap[hole] = event;
  }
}

function before(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.seq < b.seq);
}
