// The platform decides: an ordered list of gates, the first that does not pass a request on gives the verdict. Reads no
// clock and waits for nothing; adapters bring the time and do the waiting.

import { hashText, type Stream, stream, wholeBetween } from './draws.ts';
import { burstFault } from './gates/burst-fault.ts';
import { edgeTokenBucket } from './gates/edge-token-bucket.ts';
import { fault } from './gates/fault.ts';
import { billing, monthlyQuota, type QuotaAccount } from './gates/monthly-quota.ts';
import { outage } from './gates/outage.ts';
import { scripted } from './gates/scripted.ts';
import { softLimit } from './gates/soft-limit.ts';
import { Meter } from './meter.ts';
import type { GateSettings, PlatformProfile } from './profile.ts';
import { SeenCounter } from './seen-counter.ts';
import type { Arrival, Gate, PlatformRequest, Refusal, Verdict } from './types.ts';
import { DEFAULT_HOST } from './wire.ts';

export class Platform {
  readonly meter = new Meter();
  readonly #profile: PlatformProfile;
  readonly #gates: readonly Gate[];
  readonly #account: QuotaAccount = { billedCalls: 0 };
  readonly #latency: Stream;
  readonly #rejectionLatency: Stream;
  readonly #seen = new SeenCounter();

  constructor(profile: PlatformProfile, seed: number) {
    this.#profile = profile;
    this.#gates = profile.gates.map((settings, index) => this.#build(settings, index, seed));
    this.#latency = stream(seed, 'latency');
    this.#rejectionLatency = stream(seed, 'rejection-latency');
  }

  /** The verdict on a request that arrives now. Pure in (state, request, now). */
  decide(request: PlatformRequest, nowMs: number): Verdict {
    // Items are keyed by their number, everything else by its client, below zero so that the two never meet.
    const key = request.item ?? -1 - (hashText(request.client) >>> 1);
    const ordinal = this.#seen.next(key);
    const host = request.host ?? DEFAULT_HOST;
    const arrival: Arrival = { nowMs, key, ordinal, host, billed: false, lost: false };
    const refusal = this.#firstRefusal(arrival);
    const [low, high] = arrival.billed ? this.#profile.latencyMs : this.#profile.rejectionLatencyMs;
    const uniform = arrival.billed ? this.#latency(key, ordinal) : this.#rejectionLatency(key, ordinal);
    const verdict: Verdict = {
      verdictClass: refusal?.verdictClass ?? 'ok',
      status: refusal?.status ?? 200,
      billed: arrival.billed,
      latencyMs: wholeBetween(low, high, uniform) + this.#profile.overheadMs,
      lost: arrival.lost,
      limitKind: refusal?.limitKind,
      retryAfter: refusal?.retryAfter,
    };
    this.meter.count(nowMs, verdict);
    return verdict;
  }

  #firstRefusal(arrival: Arrival): Refusal | undefined {
    for (const gate of this.#gates) {
      const refusal = gate.examine(arrival);
      if (refusal !== undefined) return refusal;
    }
    return undefined;
  }

  #build(settings: GateSettings, index: number, seed: number): Gate {
    const dateMs = (nowMs: number) => this.#profile.epochMs + nowMs;
    switch (settings.gate) {
      case 'edge_token_bucket':
        return edgeTokenBucket(settings, dateMs);
      case 'soft_limit':
        return softLimit(settings, stream(seed, this.#streamName(settings.gate, index)), dateMs);
      case 'monthly_quota':
        return monthlyQuota(settings, this.#account, dateMs);
      case 'billing':
        return billing(this.#account);
      case 'fault':
        return fault(settings, stream(seed, this.#streamName(settings.gate, index)));
      case 'burst_fault': {
        const name = this.#streamName(settings.gate, index);
        return burstFault(settings, stream(seed, name), stream(seed, `${name}-spells`));
      }
      case 'outage':
        return outage(settings, dateMs);
      case 'scripted':
        return scripted(settings, this.#account);
    }
  }

  /** The first gate of a kind has the kind's own stream, a second one a stream of its own: adding one moves no other. */
  #streamName(kind: GateSettings['gate'], index: number): string {
    const before = this.#profile.gates.slice(0, index).filter((other) => other.gate === kind).length;
    return before === 0 ? kind : `${kind}#${before + 1}`;
  }
}
