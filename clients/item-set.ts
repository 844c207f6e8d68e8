// A set of item numbers as a flat array: the checkpoint is asked and told for every success, and a Set of numbers costs
// several times as much.

export class ItemSet {
  readonly #has: Uint8Array;
  #size = 0;

  /** @param items largest item number; items count from 1 */
  constructor(items: number) {
    this.#has = new Uint8Array(items + 1);
  }

  get size(): number {
    return this.#size;
  }

  has(item: number): boolean {
    return this.#has[item] === 1;
  }

  add(item: number): void {
    if (this.#has[item] === 1) return;
    if (!Number.isInteger(item) || item < 1 || item >= this.#has.length)
      throw new RangeError(`item ${item}: allowed are 1 to ${this.#has.length - 1}`);
    this.#has[item] = 1;
    this.#size++;
  }

  /** The items in the set, ascending. */
  *[Symbol.iterator](): Generator<number> {
    for (let item = 1; item < this.#has.length; item++) if (this.#has[item] === 1) yield item;
  }
}
