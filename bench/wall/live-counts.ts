// Counts of a night under way, in memory that its threads share: written when they change, read when somebody looks. Nothing
// waits for anything here, and a count that is a moment old does no harm.

const NAMES = ['done', 'abandoned', 'attempts', 'waits', 'budgetLeft', 'arrived', 'billed', 'scenarioMs'] as const;
export type LiveName = (typeof NAMES)[number];
export type LiveFigures = Readonly<Record<LiveName, number>>;

/** A budget that there is none of. */
export const NO_BUDGET = -1;

export class LiveCounts {
  readonly #cells: Float64Array;

  /** @param memory from `LiveCounts.memory()` */
  constructor(memory: SharedArrayBuffer) {
    this.#cells = new Float64Array(memory);
  }

  static memory(): SharedArrayBuffer {
    const memory = new SharedArrayBuffer(NAMES.length * Float64Array.BYTES_PER_ELEMENT);
    new LiveCounts(memory).set('budgetLeft', NO_BUDGET);
    return memory;
  }

  set(name: LiveName, value: number): void {
    this.#cells[NAMES.indexOf(name)] = value;
  }

  read(): LiveFigures {
    return Object.fromEntries(NAMES.map((name, index) => [name, this.#cells[index] ?? 0])) as LiveFigures;
  }
}
