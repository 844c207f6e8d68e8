// The retry loop that the AWS SDK for JavaScript runs around a call (@smithy/core, retryMiddleware.ts), here around fetch: the
// strategy is the library's, the classification is the caller's, as there.

import type { StandardRetryStrategy } from '@smithy/util-retry';
import type { ItemRequest } from './contract.ts';
import { fetchItem, StatusError } from './fetch-item.ts';

type Token = Awaited<ReturnType<StandardRetryStrategy['refreshRetryTokenForRetry']>>;
type ErrorInfo = Parameters<StandardRetryStrategy['refreshRetryTokenForRetry']>[1];

/** The part of a strategy that the loop calls; both of the library's have it. */
interface Strategy {
  acquireInitialRetryToken(scope: string): Promise<Pick<Token, 'getRetryDelay'>>;
  refreshRetryTokenForRetry(token: Token, error: ErrorInfo): Promise<Pick<Token, 'getRetryDelay'>>;
  recordSuccess(token: Token): void;
}

/** isTransientError of the SDK. */
const TRANSIENT: readonly number[] = [500, 502, 503, 504];

export async function withStrategy(strategy: Strategy, request: ItemRequest): Promise<void> {
  let token = (await strategy.acquireInitialRetryToken('')) as Token;
  for (;;) {
    try {
      await fetchItem(request);
      strategy.recordSuccess(token);
      return;
    } catch (error) {
      token = await nextToken(strategy, token, error);
    }
    const delayMs = token.getRetryDelay();
    if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
  }
}

/** @throws the error itself when the strategy gives no token */
async function nextToken(strategy: Strategy, token: Token, error: unknown): Promise<Token> {
  try {
    return (await strategy.refreshRetryTokenForRetry(token, errorInfo(error))) as Token;
  } catch {
    throw error;
  }
}

function errorInfo(error: unknown): ErrorInfo {
  if (!(error instanceof StatusError)) return { errorType: 'TRANSIENT' };
  const hint = retryAfterHint(error.retryAfter);
  return { errorType: errorType(error.status), ...(hint === undefined ? {} : { retryAfterHint: hint }) };
}

function errorType(status: number): ErrorInfo['errorType'] {
  if (status === 429) return 'THROTTLING';
  if (TRANSIENT.includes(status)) return 'TRANSIENT';
  return status >= 500 ? 'SERVER_ERROR' : 'CLIENT_ERROR';
}

/** Seconds or a date, as the SDK reads them. */
function retryAfterHint(text: string | undefined): Date | undefined {
  if (text === undefined) return undefined;
  const seconds = /^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined;
  const date = new Date(seconds === undefined ? text : Date.now() + seconds * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date;
}
