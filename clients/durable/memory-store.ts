// The task store without a file. A life ends when somebody stops writing to it, as with the one on disk: what was written is
// there for the next.

import type { CallRecord, EndedItem, ReservedCall, SettledCall, TaskStore } from './task-store.ts';

export class MemoryStore implements TaskStore {
  readonly #calls: CallRecord[] = [];
  readonly #ended = new Map<number, EndedItem>();
  #life = 1;

  /** The process died; whatever comes now is another life's. */
  beginLife(): void {
    this.#life++;
  }

  reserve(call: ReservedCall): void {
    if (call.ordinal !== this.#calls.length + 1) throw new Error(`call ${call.ordinal} is not the next one`);
    if (this.#ended.has(call.item)) throw new Error(`item ${call.item} has ended`);
    this.#calls.push({ ...call, life: this.#life, settled: undefined });
  }

  settle(ordinal: number, result: SettledCall, ended: EndedItem | undefined): void {
    const call = this.#calls[ordinal - 1];
    if (call === undefined || call.settled !== undefined || call.life !== this.#life)
      throw new Error(`call ${ordinal} does not wait for a result`);
    this.#calls[ordinal - 1] = { ...call, settled: result };
    if (ended !== undefined) this.end(ended);
  }

  end(ended: EndedItem): void {
    if (this.#ended.has(ended.item)) throw new Error(`item ${ended.item} has ended before`);
    this.#ended.set(ended.item, ended);
  }

  calls(): Iterable<CallRecord> {
    return this.#calls;
  }

  endedItems(): Iterable<EndedItem> {
    return this.#ended.values();
  }
}
