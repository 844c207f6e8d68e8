// Octokit with its plugins for retries and throttling; the two handlers are those of the throttling plugin's page.

import { Octokit } from '@octokit/core';
import { retry } from '@octokit/plugin-retry';
import { throttling } from '@octokit/plugin-throttling';
import type { ItemRequest } from './contract.ts';

const ThrottledOctokit = Octokit.plugin(retry, throttling);
const silent = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

const octokit = new ThrottledOctokit({
  // What the plugins report would go to the terminal.
  log: silent,
  throttle: {
    onRateLimit: (_retryAfter, _options, _octokit, retryCount) => retryCount < 1,
    onSecondaryRateLimit: () => {},
  },
});

export default async function item({ url, method }: ItemRequest): Promise<void> {
  await octokit.request(`${method} ${url}`);
}
