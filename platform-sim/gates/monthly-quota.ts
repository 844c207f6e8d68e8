// The month's quota and the moment of billing: two gates on one count, so that a scenario can put other gates between
// them. A request is billed when it enters the backend, a later 500 included; what is refused before is not.

import { type RetryAfterForm, stateRetryAfter } from '../retry-after.ts';
import type { Gate } from '../types.ts';

export interface MonthlyQuotaSettings {
  /** Calls that may be billed before the quota is gone. */
  readonly calls: number;
  readonly retryAfter: RetryAfterForm;
}

/** What has been billed so far, shared by the quota, the billing gate and the meter. */
export interface QuotaAccount {
  billedCalls: number;
}

export function monthlyQuota(
  settings: MonthlyQuotaSettings,
  account: QuotaAccount,
  dateMs: (nowMs: number) => number,
): Gate {
  return {
    name: 'monthly_quota',
    examine({ nowMs }) {
      if (account.billedCalls < settings.calls) return undefined;
      // A quota comes back with the next month, which no night of ours reaches.
      const retryAfter = stateRetryAfter(settings.retryAfter, Number.POSITIVE_INFINITY, dateMs(nowMs));
      return { verdictClass: 'quota', status: 429, limitKind: 'quota', retryAfter };
    },
  };
}

export function billing(account: QuotaAccount): Gate {
  return {
    name: 'billing',
    examine(arrival) {
      arrival.billed = true;
      account.billedCalls++;
      return undefined;
    },
  };
}
