// Jobs side by side: results in the order of the jobs, no more at once than allowed, and nothing left running.

import assert from 'node:assert/strict';
import test from 'node:test';
import { inOrder } from './in-order.ts';

/** Jobs that end when they are told to. */
function held() {
  const ends: (() => void)[] = [];
  const started: number[] = [];
  let running = 0;
  const start = async (job: number) => {
    started.push(job);
    running++;
    await new Promise<void>((resolve) => {
      ends.push(resolve);
    });
    running--;
    return job;
  };
  const endAll = () => {
    for (const end of ends) end();
  };
  return { start, started, endAll, running: () => running };
}

test('results come in the order of the jobs, whichever ends first, and so many are under way', async () => {
  let running = 0;
  let most = 0;
  const start = async (job: number) => {
    most = Math.max(most, ++running);
    // Later jobs need fewer turns: they end before the earlier ones.
    for (let turn = 0; turn < 20 - job; turn++) await undefined;
    running--;
    return job;
  };
  const seen: number[] = [];
  for await (const job of inOrder(20, 4, start)) seen.push(job);
  assert.deepEqual(
    seen,
    Array.from({ length: 20 }, (_, job) => job),
  );
  assert.equal(most, 4);
});

test('no jobs, no results', async () => {
  for await (const job of inOrder(0, 4, async () => 1)) assert.fail(`${job}`);
});

test('a job that fails fails the series once the others under way have ended', async () => {
  const { start, endAll, running } = held();
  const failing = (job: number) => (job === 0 ? Promise.reject(new Error('lost')) : start(job));
  const reading = (async () => {
    for await (const job of inOrder(10, 3, failing)) assert.fail(`${job}`);
  })();
  const failed = assert.rejects(reading, /lost/);
  await undefined;
  endAll();
  await failed;
  assert.equal(running(), 0);
});

test('a reader that has had enough leaves nothing running', async () => {
  const { start, started, endAll, running } = held();
  const quick = (job: number) => (job === 0 ? Promise.resolve(0) : start(job));
  for await (const job of inOrder(100, 3, quick)) {
    assert.equal(job, 0);
    endAll();
    break;
  }
  assert.equal(running(), 0);
  assert.deepEqual(started, [1, 2]);
});
