// Holds the platform's word: the order of the gates, who is billed, the same fault for the same request, and the sums.

import assert from 'node:assert/strict';
import test from 'node:test';
import fc from 'fast-check';
import { Platform } from './platform.ts';
import type { GateSettings, PlatformProfile } from './profile.ts';
import { VERDICT_CLASSES, type Verdict, type VerdictClass } from './types.ts';

fc.configureGlobal({ seed: 20261016 });

const absent = { form: 'absent' } as const;
const edge = (refillPerS: number, burst: number): GateSettings => ({
  gate: 'edge_token_bucket',
  refillPerS,
  burst,
  retryAfter: { form: 'seconds' },
});
const soft = (rate: number): GateSettings => ({
  gate: 'soft_limit',
  rate,
  retryAfter: { form: 'http-date', valueS: 2 },
});
const quota = (calls: number): GateSettings => ({ gate: 'monthly_quota', calls, retryAfter: absent });
const billing: GateSettings = { gate: 'billing' };
const fault = (rate: number): GateSettings => ({ gate: 'fault', rate });
const outage = (fromMs: number, toMs: number): GateSettings => ({ gate: 'outage', fromMs, toMs, retryAfter: absent });

const profile = (...gates: GateSettings[]): PlatformProfile => ({
  epochMs: Date.UTC(2026, 9, 16, 2, 0, 0),
  latencyMs: [150, 250],
  rejectionLatencyMs: [10, 30],
  overheadMs: 2,
  gates,
});
const ask = (platform: Platform, item: number | undefined, nowMs = 0, client = 'naive') =>
  platform.decide({ client, item }, nowMs);
const sum = (platform: Platform, column: VerdictClass | 'total' | 'billed') =>
  platform.meter.rows().reduce((total, row) => total + row[column], 0);

test('edge before soft before quota before billing before fault: the first that refuses gives the verdict', () => {
  const gates = [edge(0, 0), soft(1), quota(0), billing, fault(1)];
  const verdicts = gates.map((_, i) => ask(new Platform(profile(...gates.slice(i)), 1), 0));
  const seen = verdicts.map(({ verdictClass, status, billed }) => [verdictClass, status, billed]);
  assert.deepEqual(seen, [
    ['edge', 429, false],
    ['soft', 429, false],
    ['quota', 429, false],
    ['error500', 500, true],
    ['error500', 500, false],
  ]);
  const kinds = verdicts.map(({ limitKind }) => limitKind);
  assert.deepEqual(kinds, ['edge', 'soft', 'quota', undefined, undefined]);
});

test('a request that is refused takes nothing from the gates behind', () => {
  const behind = new Platform(profile(soft(1), edge(0, 1), quota(1), billing), 1);
  for (let i = 0; i < 5; i++) assert.equal(ask(behind, i).verdictClass, 'soft');
  assert.equal(sum(behind, 'billed'), 0);
  const front = new Platform(profile(edge(0, 1), soft(1)), 1);
  assert.deepEqual([ask(front, 0).verdictClass, ask(front, 0).verdictClass], ['soft', 'edge']);
});

test('a platform without gates answers everything, and an outage is billed behind the billing gate only', () => {
  const { verdictClass, status, retryAfter } = ask(new Platform(profile(), 1), undefined);
  assert.deepEqual([verdictClass, status, retryAfter], ['ok', 200, undefined]);
  const unbilled = ask(new Platform(profile(outage(0, 10), billing), 1), 0, 5);
  const billed = ask(new Platform(profile(billing, outage(0, 10)), 1), 0, 5);
  assert.deepEqual([unbilled.verdictClass, unbilled.billed], ['unavailable', false]);
  assert.deepEqual([billed.verdictClass, billed.billed], ['error503', true]);
});

test('a 500 is billed and uses up the quota; the quota ends to the unit', () => {
  const platform = new Platform(profile(quota(3), billing, fault(1)), 1);
  const seen = [10, 20, 30, 40, 50].map((nowMs) => ask(platform, 0, nowMs).verdictClass);
  assert.deepEqual(seen, ['error500', 'error500', 'error500', 'quota', 'quota']);
  assert.equal(sum(platform, 'billed'), 3);
  assert.equal(platform.meter.quotaGoneMs, 30);
});

test('the latency is that of the backend for billed requests and that of the edge for all others', () => {
  const platform = new Platform(profile(edge(0, 300), billing, fault(0.5)), 1);
  const verdicts = Array.from({ length: 600 }, (_, item) => ask(platform, item));
  const range = (billed: boolean) => {
    const latencies = verdicts.filter((each) => each.billed === billed).map(({ latencyMs }) => latencyMs);
    assert.ok(latencies.length === 300 && latencies.every(Number.isInteger));
    return [Math.min(...latencies), Math.max(...latencies)];
  };
  // With 300 draws from 101 and 21 values the ends are near; the seed is fixed.
  const [low = 0, high = 0] = range(true);
  assert.ok(low >= 152 && low < 156 && high <= 252 && high > 248, `${low} to ${high}`);
  assert.deepEqual(range(false), [12, 32]);
});

test('dates come from the calendar of the scenario', () => {
  const platform = new Platform(profile(soft(1)), 1);
  assert.equal(ask(platform, 0, 60_000).retryAfter, 'Fri, 16 Oct 2026 02:01:02 GMT');
});

test('the published night: 1,800 a minute pass the edge, 8 % of them meet the soft limit, a quarter of billed fail', () => {
  const platform = new Platform(profile(edge(30, 60), soft(0.08), quota(20_000), billing, fault(0.25)), 1);
  for (let i = 0; i < 90_000; i++) ask(platform, i % 9000, i * 10);
  const rows = platform.meter.rows();
  assert.equal(rows.length, 15);
  for (const { minute, total, edge: refused } of rows.slice(1)) assert.equal(total - refused, 1800, `minute ${minute}`);
  const near = (part: number, whole: number, rate: number) =>
    assert.ok(Math.abs(part - whole * rate) < 5 * Math.sqrt(whole * rate * (1 - rate)), `${part} of ${whole}`);
  near(sum(platform, 'soft'), sum(platform, 'total') - sum(platform, 'edge'), 0.08);
  near(sum(platform, 'error500'), 20_000, 0.25);
  assert.equal(sum(platform, 'billed'), 20_000);
  assert.ok(rows.slice(-1).every((row) => row.quota > 1500 && row.ok === 0));
});

const items = fc.array(fc.option(fc.integer({ min: 0, max: 8 }), { nil: undefined }), { maxLength: 200 });
/** What each item met, request by request. */
function fates(platform: Platform, order: readonly (number | undefined)[]): Map<number | undefined, Verdict[]> {
  const met = new Map<number | undefined, Verdict[]>();
  order.forEach((item, i) => {
    met.set(item, [...(met.get(item) ?? []), ask(platform, item, i * 7)]);
  });
  return met;
}
const CHANCE = profile({ gate: 'soft_limit', rate: 0.3, retryAfter: absent }, billing, fault(0.4));

test('the k-th request of an item meets the same fault, whatever arrives before, between or after', () => {
  const twice = items.chain((order) =>
    fc.tuple(fc.constant(order), fc.shuffledSubarray(order, { minLength: order.length, maxLength: order.length })),
  );
  fc.assert(
    fc.property(twice, fc.maxSafeInteger(), ([order, shuffled], seed) => {
      const other = fates(new Platform(CHANCE, seed), shuffled);
      for (const [item, verdicts] of fates(new Platform(CHANCE, seed), order)) {
        assert.deepEqual(other.get(item), verdicts);
      }
    }),
  );
});

test('a further gate moves the draws of no other: who passes it meets what he met without it', () => {
  fc.assert(
    fc.property(items, fc.integer(), (order, seed) => {
      const plain = new Platform(CHANCE, seed);
      const guarded = new Platform(profile(edge(20, 3), ...CHANCE.gates, fault(0.5)), seed);
      order.forEach((item, i) => {
        const [before, after] = [ask(plain, item, i * 7), ask(guarded, item, i * 7)];
        if (after.verdictClass === 'edge') return;
        if (before.verdictClass === 'ok') assert.ok(['ok', 'error500'].includes(after.verdictClass));
        else assert.deepEqual(after, before);
      });
    }),
  );
});

test('a second fault has luck of its own, and so have clients whose requests name no item', () => {
  const platform = new Platform(profile(billing, fault(0.5), fault(0.5)), 1);
  for (let item = 0; item < 10_000; item++) ask(platform, item);
  assert.ok(Math.abs(sum(platform, 'error500') - 7500) < 250, 'with the same draws it would be 5,000');
  const classes = (client: string) => {
    const night = new Platform(profile(billing, fault(0.5)), 1);
    return Array.from({ length: 64 }, () => ask(night, undefined, 0, client).verdictClass);
  };
  assert.notDeepEqual(classes('naive'), classes('guarded'));
  assert.equal(new Set(classes('naive')).size, 2, 'a retry has its own luck');
});

test('the sums hold under any traffic: total by class, billed by class, never more than the quota', () => {
  const rate = fc.double({ min: 0, max: 1, noNaN: true });
  const gates = fc
    .record({ refill: fc.nat(50), burst: fc.integer({ min: 1, max: 20 }), soft: rate, calls: fc.nat(100), fault: rate })
    .chain((r) => fc.constantFrom(true, false).map((early) => ({ ...r, early })));
  const traffic = fc.array(fc.tuple(fc.nat(2000), fc.option(fc.nat(20), { nil: undefined })), { maxLength: 300 });
  fc.assert(
    fc.property(gates, traffic, fc.integer(), (r, requests, seed) => {
      const window = outage(30_000, 60_000);
      const front = [edge(r.refill, r.burst), soft(r.soft), ...(r.early ? [window] : []), quota(r.calls), billing];
      const platform = new Platform(profile(...front, ...(r.early ? [] : [window]), fault(r.fault)), seed);
      const given = new Map<VerdictClass | 'billed', number>();
      const count = (name: VerdictClass | 'billed') => given.set(name, (given.get(name) ?? 0) + 1);
      let nowMs = 0;
      for (const [gapMs, item] of requests) {
        nowMs += gapMs;
        const { verdictClass, billed } = ask(platform, item, nowMs);
        count(verdictClass);
        if (billed) count('billed');
      }
      const [total, billed, ...classes] = (['total', 'billed', ...VERDICT_CLASSES] as const).map((c) =>
        sum(platform, c),
      );
      const [ok = 0, error500 = 0, error503 = 0, edges = 0, softs = 0, quotas = 0, unavailable = 0] = classes;
      assert.equal(total, requests.length);
      assert.equal(total, (billed ?? 0) + edges + softs + quotas + unavailable);
      assert.equal(billed, ok + error500 + error503);
      assert.ok((billed ?? 0) <= r.calls);
      assert.equal(billed, given.get('billed') ?? 0);
      for (const name of VERDICT_CLASSES) assert.equal(sum(platform, name), given.get(name) ?? 0, name);
    }),
  );
});
