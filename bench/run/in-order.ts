// Jobs side by side, their results in the order of the jobs: so many under way at once and no more, so that memory does not
// grow with their number, and nothing goes on in the background when one fails or the reader has had enough.

export async function* inOrder<Result>(
  jobs: number,
  atOnce: number,
  start: (job: number) => Promise<Result>,
): AsyncGenerator<Result> {
  const underWay: Promise<Result>[] = [];
  let next = 0;
  try {
    while (next < jobs || underWay.length > 0) {
      while (next < jobs && underWay.length < atOnce) {
        const result = start(next++);
        // It may fail before its turn to be awaited comes; until then the failure is not unhandled, it waits.
        result.catch(() => undefined);
        underWay.push(result);
      }
      const first = underWay.shift();
      if (first !== undefined) yield await first;
    }
  } finally {
    await Promise.allSettled(underWay);
  }
}
