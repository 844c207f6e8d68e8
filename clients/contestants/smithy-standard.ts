// @smithy/util-retry: the standard strategy of the AWS SDK, all defaults: three attempts.

import { DEFAULT_MAX_ATTEMPTS, StandardRetryStrategy } from '@smithy/util-retry';
import type { ItemRequest } from './contract.ts';
import { withStrategy } from './smithy-loop.ts';

const strategy = new StandardRetryStrategy(DEFAULT_MAX_ATTEMPTS);

export default function item(request: ItemRequest): Promise<void> {
  return withStrategy(strategy, request);
}
