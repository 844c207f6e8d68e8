// The list of a probe's requests: what is collected of each, a row for each of the first, and the sum of the rest.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { operationOf, replyOf, resultOf } from '../../clients/testing.ts';
import { type ProbedRequest, RequestList } from './request-list.ts';
import { MAX_ROWS, requestTable } from './request-table.ts';

fc.configureGlobal({ seed: 20261016 });

const RETRY = { kind: 'retry', waitMs: 5, because: 'backoff' } as const;
const DONE = { kind: 'stop', reason: 'done', scope: 'operation' } as const;
const OVER = { kind: 'stop', reason: 'budget_exceeded', scope: 'task' } as const;

test('attempts are collected by request and pass, with their latency, and the end with its reason', () => {
  const list = new RequestList();
  const [first, second] = [operationOf(1), operationOf(2)];
  const at = (sentMs: number, receivedMs: number) => ({ sentMs, receivedMs, operation: first });
  list.attempt(1, resultOf('no_reply', at(10, 40)), RETRY);
  list.refused(second, 45, OVER);
  list.attempt(2, resultOf('ok', { ...at(50, 75), reply: replyOf('ok') }), DONE);
  list.attempt(3, resultOf('error503', { ...at(80, 81), operation: { ...first, pass: 2 } }), RETRY);
  assert.deepEqual(list.requests(), [
    {
      name: '1',
      attempts: [
        { latencyMs: 30, status: undefined },
        { latencyMs: 25, status: 200 },
      ],
      ended: 'done',
    },
    { name: '1, pass 2', attempts: [{ latencyMs: 1, status: 503 }], ended: undefined },
    { name: '2', attempts: [], ended: 'budget_exceeded' },
  ]);
});

const request = (
  name: string,
  statuses: readonly (number | undefined)[],
  ended: string | undefined,
): ProbedRequest => ({
  name,
  attempts: statuses.map((status, index) => ({ latencyMs: 100 + index, status })),
  ended,
});

test('a row a request: latencies, the last status, and the reason where it is no plain success', () => {
  const real = [
    request('2', [503, undefined], 'attempts_exhausted'),
    request('1', [500, 200], 'done'),
    request('10', [], 'budget_exceeded'),
    request('3', [429], undefined),
    request('4', new Array(11).fill(503), 'deadline'),
    request('5', [200], 'validation_failed'),
  ];
  const { head, rows } = requestTable(real, [request('1', [200], 'done')]);
  assert.ok(rows.every((row) => row.length === head.length));
  const nothing = [undefined, undefined, undefined];
  assert.deepEqual(rows, [
    ['1', 2, '100, 101', '200', 1, '100', '200'],
    ['2', 2, '100, 101 (no reply)', 'no reply, attempts_exhausted', ...nothing],
    ['3', 1, '100', '429, not ended', ...nothing],
    ['4', 11, '100, 101, 102, 103, 104, 105, 106, 107, 3 more', '503, deadline', ...nothing],
    ['5', 1, '100', '200, validation_failed', ...nothing],
    ['10', 0, '', 'not sent, budget_exceeded', ...nothing],
  ]);
});

test('beyond the first twenty: attempts added up, the median of their latencies, and how often each end', () => {
  const real = Array.from({ length: 24 }, (_, i) => request(String(i + 1), [500, 200], i < 22 ? 'done' : undefined));
  const { rows } = requestTable(real, real.slice(0, 21));
  assert.equal(rows.length, 21);
  assert.deepEqual(rows.at(-1), [
    '4 more',
    8,
    'median 100.5',
    '2 × 200; 2 × 200, not ended',
    2,
    'median 100.5',
    '1 × 200',
  ]);
});

test('no attempt is lost, whatever is told, and the table has an end', () => {
  const requests = fc
    .array(fc.array(fc.option(fc.constantFrom(200, 429, 503), { nil: undefined }), { maxLength: 12 }), {
      maxLength: 60,
      size: 'max',
    })
    .map((all) => all.map((statuses, i) => request(String(i + 1), statuses, 'done')));
  fc.assert(
    fc.property(requests, requests, (real, simulated) => {
      const { rows } = requestTable(real, simulated);
      assert.ok(rows.length <= MAX_ROWS + 1);
      for (const [column, side] of [
        [1, real],
        [4, simulated],
      ] as const) {
        const told = rows.reduce((sum, row) => sum + Number(row[column] ?? 0), 0);
        assert.equal(
          told,
          side.reduce((sum, { attempts }) => sum + attempts.length, 0),
        );
      }
    }),
  );
});
