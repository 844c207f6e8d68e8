// How many requests each key has had. Items are small whole numbers, so a flat array serves almost all of them; a map
// takes the rest, so that one hostile item number can not allocate a gigabyte.

const DENSE_KEYS = 1 << 20;

export class SeenCounter {
  #dense = new Uint32Array(1024);
  readonly #sparse = new Map<number, number>();

  /** Requests seen with this key before this one, which is counted. */
  next(key: number): number {
    if (key >= 0 && key < DENSE_KEYS) {
      if (key >= this.#dense.length) this.#grow(key);
      const before = this.#dense[key] as number;
      this.#dense[key] = before + 1;
      return before;
    }
    const before = this.#sparse.get(key) ?? 0;
    this.#sparse.set(key, before + 1);
    return before;
  }

  #grow(key: number): void {
    let size = this.#dense.length;
    while (size <= key) size *= 2;
    const larger = new Uint32Array(size);
    larger.set(this.#dense);
    this.#dense = larger;
  }
}
