// Holds the wire contract: what is written can be read back, nothing else is read, and a reply says what refused it.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import type { LimitKind, Verdict } from './types.ts';
import {
  ITEM_PATH,
  itemPath,
  LIMIT_KIND_HEADER,
  parseHost,
  parseItemPath,
  parseRequestId,
  REQUEST_ID_HEADER,
  RETRY_AFTER_HEADER,
  ReplyEncoder,
  requestId,
} from './wire.ts';

fc.configureGlobal({ seed: 20261016 });

const OK: Verdict = {
  verdictClass: 'ok',
  status: 200,
  billed: true,
  latencyMs: 10,
  lost: false,
  limitKind: undefined,
  retryAfter: undefined,
};
const limited = (kind: LimitKind, retryAfter?: string): Verdict => ({
  ...OK,
  verdictClass: kind,
  status: 429,
  billed: false,
  limitKind: kind,
  retryAfter,
});

test('a request id is read back as it was written', () => {
  const client = fc.stringMatching(/^[a-z][a-z0-9-]{0,63}$/);
  const ordinal = fc.integer({ min: 1, max: 999_999_999_999_999 });
  fc.assert(
    fc.property(client, ordinal, (name, n) => {
      assert.deepEqual(parseRequestId(requestId(name, n)), { client: name, ordinal: n });
    }),
  );
  assert.deepEqual(parseRequestId('guarded-2-17'), { client: 'guarded-2', ordinal: 17 });
});

test('a host is a name; what dials an address and a port, or says nothing that is a name, means the platform', () => {
  for (const name of ['a', 'a.example', 'xn--bcher-kva.example', '10.0.0.1', 'platform'])
    assert.equal(parseHost(name), name);
  for (const text of [
    undefined,
    '',
    '127.0.0.1:8080',
    'a.example:80',
    'A.example',
    'a..b',
    '-a',
    '[::1]',
    'a b',
    'a\n',
  ])
    assert.equal(parseHost(text), 'platform', text);
  const long = 'a'.repeat(64);
  assert.equal(parseHost(long), 'platform');
});

test('an item path is read back as it was written', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 999_999_999 }), (item) => {
      assert.equal(parseItemPath(itemPath(item)), item);
    }),
  );
  assert.equal(itemPath(17), '/v1/items/17');
  assert.equal(ITEM_PATH, '/v1/items/');
});

test('hostile paths name no item', () => {
  const paths = ['', '/', '/v1/items', '/v1/items/', '/v1/items/-1', '/v1/items/+1', '/v1/items/1.5', '/v1/items/1e3'];
  paths.push('/v1/items/01', '/v1/items/00', '/v1/items/1/', '/v1/items/1?x=1', '/v1/items/1#a', '/v1/items/ 1');
  paths.push('/v1/items/1\n', '/v1/items/1\n2', '/v1/items/%31', '/v1/items/0x10', '/v1/items/1_000', '/v2/items/1');
  paths.push(
    '/v1/items/1000000000',
    `/v1/items/${'9'.repeat(400)}`,
    '//v1/items/1',
    '/v1/items/../items/1',
    'v1/items/1',
  );
  paths.push('http://127.0.0.1/v1/items/1', '/V1/ITEMS/1', '/v1/items/١', '/v1/items/NaN', '/v1/items/__proto__');
  for (const path of paths) assert.equal(parseItemPath(path), undefined, JSON.stringify(path));
});

test('hostile request ids are none', () => {
  const ids = [
    '',
    '-',
    'naive',
    'naive-',
    '-1',
    'naive-0',
    'naive-01',
    'naive--',
    'naive-1.5',
    'naive-1e3',
    'naive-+1',
  ];
  ids.push('Naive-1', '1naive-1', 'na ive-1', 'naive-1 ', ' naive-1', 'naive-1\n', 'naive-1\r\nx: y', 'naïve-1');
  ids.push(
    'naive-1, naive-2',
    `${'a'.repeat(65)}-1`,
    'naive-1000000000000000',
    `naive-${'9'.repeat(400)}`,
    'naive_1-1',
  );
  for (const id of ids) assert.equal(parseRequestId(id), undefined, JSON.stringify(id));
});

test('whatever is read is what would have been written', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.stringMatching(/^[a-z0-9-]{1,9}-[0-9]{1,17}$/)), (text) => {
      const id = parseRequestId(text);
      if (id !== undefined) assert.equal(requestId(id.client, id.ordinal), text);
    }),
  );
  fc.assert(
    fc.property(fc.oneof(fc.webPath(), fc.stringMatching(/^[0-9./?]{1,12}$/)), (tail) => {
      const item = parseItemPath(ITEM_PATH + tail);
      if (item !== undefined) assert.equal(itemPath(item), ITEM_PATH + tail);
    }),
  );
});

test('header names are in lower case, as parsers give them', () => {
  for (const name of [LIMIT_KIND_HEADER, RETRY_AFTER_HEADER, REQUEST_ID_HEADER]) assert.equal(name, name.toLowerCase());
});

test('the three kinds of 429 are told apart by header and by body', () => {
  const encoder = new ReplyEncoder();
  for (const [kind, scope] of [
    ['edge', 'rate'],
    ['soft', 'rate'],
    ['quota', 'quota'],
  ] as const) {
    const reply = encoder.encode(limited(kind, '2'));
    assert.equal(reply.status, 429);
    const json = 'application/json';
    assert.deepEqual(reply.headers, { 'content-type': json, 'x-limit-kind': kind, 'retry-after': '2' });
    const { error } = JSON.parse(reply.body) as { error: Record<string, unknown> };
    const { message, ...rest } = error;
    assert.deepEqual(rest, { code: 'limited', scope, kind, retry_after: '2' });
    assert.equal(typeof message, 'string');
  }
});

test('no Retry-After: no header, and null in the body', () => {
  const { headers, body } = new ReplyEncoder().encode(limited('quota'));
  assert.deepEqual(Object.keys(headers).sort(), ['content-type', 'x-limit-kind']);
  assert.match(body, /"retry_after":null/);
});

test('a text of the scenario can not break the JSON', () => {
  const { headers, body } = new ReplyEncoder().encode(limited('soft', 'so"on\\'));
  assert.equal(headers[RETRY_AFTER_HEADER], 'so"on\\');
  assert.equal((JSON.parse(body) as { error: { retry_after: string } }).error.retry_after, 'so"on\\');
});

test('ok, 500 and 503: no limit kind, and a 503 may say how long', () => {
  const encoder = new ReplyEncoder();
  const ok = encoder.encode(OK);
  assert.deepEqual([ok.status, ok.headers, ok.body], [200, { 'content-type': 'application/json' }, '{"data":"ok"}']);
  const broken = encoder.encode({ ...OK, verdictClass: 'error500', status: 500 });
  assert.deepEqual([broken.status, Object.keys(broken.headers)], [500, ['content-type']]);
  const out = encoder.encode({ ...OK, verdictClass: 'error503', status: 503, retryAfter: '60' });
  assert.deepEqual([out.status, out.headers[RETRY_AFTER_HEADER]], [503, '60']);
  for (const { body } of [broken, out]) assert.deepEqual(JSON.parse(body), { error: { code: 'backend_failed' } });
});

test('replies that are shared are the same as replies built anew', () => {
  const retryAfter = fc.constantFrom(undefined, '1', '2', 'soon');
  const kind = fc.constantFrom<LimitKind>('edge', 'soft', 'quota');
  const verdict = fc.oneof(
    fc.tuple(kind, retryAfter).map(([each, wait]) => limited(each, wait)),
    retryAfter.map((wait): Verdict => ({ ...OK, verdictClass: 'unavailable', status: 503, retryAfter: wait })),
    fc.constant(OK),
  );
  fc.assert(
    fc.property(fc.array(verdict), (verdicts) => {
      const encoder = new ReplyEncoder();
      for (const each of verdicts) assert.deepEqual(encoder.encode(each), new ReplyEncoder().encode(each));
    }),
  );
  const encoder = new ReplyEncoder();
  assert.equal(encoder.encode(OK), encoder.encode({ ...OK, latencyMs: 99 }), 'equal neighbours share one reply');
  assert.ok(Object.isFrozen(encoder.encode(OK)));
});
