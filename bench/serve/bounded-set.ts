// A set with room for so many: what a stranger names is remembered up to a bound and lumped together beyond it.

/** Room that several sets share. */
export class Room {
  #left: number;

  constructor(entries: number) {
    this.#left = entries;
  }

  take(): boolean {
    if (this.#left === 0) return false;
    this.#left--;
    return true;
  }
}

export class BoundedSet {
  readonly #has = new Set<number>();
  readonly #room: Room;

  constructor(room: Room) {
    this.#room = room;
  }

  get size(): number {
    return this.#has.size;
  }

  /** Whether the key is in the set, put there if there is room. */
  admit(key: number): boolean {
    if (this.#has.has(key)) return true;
    if (!this.#room.take()) return false;
    this.#has.add(key);
    return true;
  }
}
