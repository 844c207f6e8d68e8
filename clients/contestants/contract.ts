// What a module must export to be put into the wind tunnel: a function for one item, or one for the whole task. Nothing in it
// knows of the tool: it is called with an address, and calls it as it would any other.

export interface ItemRequest {
  /** Number of the item, from 1. */
  readonly item: number;
  /** Where the item is asked for, e.g. `http://127.0.0.1:40123/v1/items/17`. */
  readonly url: string;
  /** The platform's address without a path. */
  readonly origin: string;
  readonly method: 'GET' | 'POST';
}

/** Resolves when the item is done; rejects when the client gives it up. */
export type ItemFunction = (request: ItemRequest) => Promise<unknown>;

export interface WholeTask {
  /** Items are numbered from 1 to this. */
  readonly items: number;
  readonly origin: string;
  /** Where an item is asked for. */
  readonly itemUrl: (item: number) => string;
}

/** Resolves when the task has ended, whatever became of its items. */
export type TaskFunction = (task: WholeTask) => Promise<unknown>;

/** A client module: one of the two. */
export interface ClientModule {
  readonly default?: ItemFunction;
  readonly task?: TaskFunction;
}
