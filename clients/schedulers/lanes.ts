// Concurrency of a scheduler: as many lanes as p-limit lets in, each taking the next item when it is free. Lanes live as long
// as the task and rest between passes, since asking the limiter anew for each item costs more than the item does; and
// the items wait in a counter, so a task of a million of them holds no million closures.

import pLimit from 'p-limit';

interface Pass {
  next: number;
  last: number;
  readonly mayGoOn: () => boolean;
  readonly work: (item: number) => Promise<unknown>;
  /** Lanes that have not found the pass at its end. */
  busy: number;
  /** The first error of a lane; the others finish what they are at and take nothing more. */
  failure: { readonly error: unknown } | undefined;
  readonly end: () => void;
  readonly fail: (error: unknown) => void;
}

export class Lanes {
  readonly #count: number;
  #begin: Promise<Pass | undefined>;
  #announce: (pass: Pass | undefined) => void;

  constructor(count: number) {
    this.#count = count;
    const slots = pLimit(count);
    [this.#begin, this.#announce] = gate();
    // The limiter calls back later, when another pass may have been announced: each lane is told which one is its first.
    const first = this.#begin;
    for (let lane = 0; lane < count; lane++) void slots(() => this.#lane(first));
  }

  /**
   * Calls `work` for the items `first` to `last`, in order, one a lane at a time; resolves when all are through.
   * @param mayGoOn asked before each item; false leaves the rest untouched
   */
  pass(first: number, last: number, mayGoOn: () => boolean, work: (item: number) => Promise<unknown>): Promise<void> {
    return new Promise((end, fail) => {
      const announce = this.#announce;
      [this.#begin, this.#announce] = gate();
      announce({ next: first, last, mayGoOn, work, busy: this.#count, failure: undefined, end, fail });
    });
  }

  /** Lets the lanes go home. */
  close(): void {
    this.#announce(undefined);
  }

  async #lane(first: Promise<Pass | undefined>): Promise<void> {
    for (let pass = await first; pass !== undefined; pass = await this.#begin) {
      try {
        while (pass.next <= pass.last && pass.mayGoOn()) await pass.work(pass.next++);
      } catch (error) {
        pass.failure ??= { error };
        pass.last = 0;
      }
      if (--pass.busy > 0) continue;
      if (pass.failure === undefined) pass.end();
      else pass.fail(pass.failure.error);
    }
  }
}

function gate(): [Promise<Pass | undefined>, (pass: Pass | undefined) => void] {
  let open: (pass: Pass | undefined) => void = () => {};
  const promise = new Promise<Pass | undefined>((resolve) => {
    open = resolve;
  });
  return [promise, open];
}
