// The edge's rate limit: one token a request, refused with 429 before anything behind it sees the request.

import { type RetryAfterForm, stateRetryAfter } from '../retry-after.ts';
import { TokenBucket } from '../token-bucket.ts';
import type { Gate } from '../types.ts';

export interface EdgeTokenBucketSettings {
  readonly refillPerS: number;
  readonly burst: number;
  readonly retryAfter: RetryAfterForm;
}

export function edgeTokenBucket(settings: EdgeTokenBucketSettings, dateMs: (nowMs: number) => number): Gate {
  const bucket = new TokenBucket(settings.refillPerS, settings.burst);
  return {
    name: 'edge_token_bucket',
    examine({ nowMs }) {
      if (bucket.take(nowMs)) return undefined;
      const retryAfter = stateRetryAfter(settings.retryAfter, bucket.waitMs(nowMs), dateMs(nowMs));
      return { verdictClass: 'edge', status: 429, limitKind: 'edge', retryAfter };
    },
  };
}
