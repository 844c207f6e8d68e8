// @smithy/util-retry: the adaptive strategy of the AWS SDK, all defaults: three attempts.

import { AdaptiveRetryStrategy, DEFAULT_MAX_ATTEMPTS } from '@smithy/util-retry';
import type { ItemRequest } from './contract.ts';
import { withStrategy } from './smithy-loop.ts';

const strategy = new AdaptiveRetryStrategy(async () => DEFAULT_MAX_ATTEMPTS);

export default function item(request: ItemRequest): Promise<void> {
  return withStrategy(strategy, request);
}
