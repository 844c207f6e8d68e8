// The contestants by name: what each one is, which packages it needs, and whether they are here. Nothing of theirs is loaded
// from this file, so that a list costs nothing and a package that is missing breaks nothing.

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

export interface Contestant {
  /** Its module, beside this file. */
  readonly file: string;
  /** What it imports; the first one gives the version to show. None for what comes with Node. */
  readonly packages: readonly string[];
  /** What it is and what it does by default, in a line. */
  readonly summary: string;
  /** Where its authors say so. */
  readonly source: string;
}

export const CONTESTANTS: Readonly<Record<string, Contestant>> = {
  fetch: {
    file: './fetch.js',
    packages: [],
    summary: "Node's own fetch, nothing around it: one attempt",
    source: 'https://nodejs.org/docs/latest-v20.x/api/globals.html#fetch',
  },
  'undici-retry-agent': {
    file: './undici-retry-agent.js',
    packages: ['undici'],
    summary: 'RetryAgent, defaults: 5 retries from 0.5 s on, doubling; Retry-After; not for POST',
    source: 'https://github.com/nodejs/undici/blob/main/docs/docs/api/RetryAgent.md',
  },
  got: {
    file: './got.js',
    packages: ['got'],
    summary: 'defaults: 2 retries from 1 s on, doubling; Retry-After; not for POST',
    source: 'https://github.com/sindresorhus/got/blob/main/documentation/7-retry.md',
  },
  ky: {
    file: './ky.js',
    packages: ['ky'],
    summary: 'defaults: 2 retries from 0.3 s on, doubling; Retry-After; not for POST',
    source: 'https://github.com/sindresorhus/ky#retry',
  },
  axios: {
    file: './axios.js',
    packages: ['axios'],
    summary: 'nothing around it: one attempt',
    source: 'https://github.com/axios/axios',
  },
  'axios-retry': {
    file: './axios-retry.js',
    packages: ['axios-retry', 'axios'],
    summary: 'defaults: 3 retries at once; Retry-After; not for POST',
    source: 'https://github.com/softonic/axios-retry#options',
  },
  'axios-retry-exponential': {
    file: './axios-retry-exponential.js',
    packages: ['axios-retry', 'axios'],
    summary: 'retryDelay: exponentialDelay: 3 retries from 0.2 s on, doubling; Retry-After; not for POST',
    source: 'https://github.com/softonic/axios-retry#options',
  },
  'fetch-retry': {
    file: './fetch-retry.js',
    packages: ['fetch-retry'],
    summary: 'defaults: 3 retries of what got no answer, none of a status',
    source: 'https://github.com/jonbern/fetch-retry#readme',
  },
  'make-fetch-happen': {
    file: './make-fetch-happen.js',
    packages: ['make-fetch-happen'],
    summary: 'defaults: no retry',
    source: 'https://github.com/npm/make-fetch-happen#opts-retry',
  },
  'make-fetch-happen-retry-2': {
    file: './make-fetch-happen-retry-2.js',
    packages: ['make-fetch-happen'],
    summary: 'retry: 2: from 1 s on, doubling; no Retry-After; not for POST',
    source: 'https://github.com/npm/make-fetch-happen#opts-retry',
  },
  'p-retry': {
    file: './p-retry.js',
    packages: ['p-retry'],
    summary: 'around fetch, defaults: 10 retries of whatever throws, from 1 s on, doubling without a cap',
    source: 'https://github.com/sindresorhus/p-retry#options',
  },
  'exponential-backoff': {
    file: './exponential-backoff.js',
    packages: ['exponential-backoff'],
    summary: 'around fetch, defaults: 9 retries of whatever throws, from 0.1 s on, doubling without a cap',
    source: 'https://github.com/coveooss/exponential-backoff#readme',
  },
  cockatiel: {
    file: './cockatiel.js',
    packages: ['cockatiel'],
    summary: 'around fetch, as its first example: 3 retries, ExponentialBackoff',
    source: 'https://github.com/connor4312/cockatiel#readme',
  },
  'cockatiel-endless': {
    file: './cockatiel-endless.js',
    packages: ['cockatiel'],
    summary: 'around fetch, retry(handleAll, {}): again at once, without end',
    source: 'https://github.com/connor4312/cockatiel#retrypolicy-options',
  },
  opossum: {
    file: './opossum.js',
    packages: ['opossum'],
    summary: 'around fetch, defaults: a breaker that opens at half of 10 s failed, for 30 s; no retry',
    source: 'https://github.com/nodeshift/opossum#usage',
  },
  bottleneck: {
    file: './bottleneck.js',
    packages: ['bottleneck'],
    summary: 'around fetch, as its quick start: one request at a time, three a second; no retry',
    source: 'https://github.com/SGrondin/bottleneck#quick-start',
  },
  'smithy-standard': {
    file: './smithy-standard.js',
    packages: ['@smithy/util-retry'],
    summary: 'around fetch, the standard strategy of the AWS SDK, defaults: 2 retries, full jitter, retry quota',
    source: 'https://github.com/smithy-lang/smithy-typescript/tree/master/packages/util-retry',
  },
  'smithy-adaptive': {
    file: './smithy-adaptive.js',
    packages: ['@smithy/util-retry'],
    summary: 'around fetch, the adaptive strategy of the AWS SDK, defaults: the same and a rate that yields',
    source: 'https://github.com/smithy-lang/smithy-typescript/tree/master/packages/util-retry',
  },
  openai: {
    file: './openai.js',
    packages: ['openai'],
    summary: 'the SDK, defaults: 2 retries from 0.5 s on, POST included; Retry-After',
    source: 'https://github.com/openai/openai-node#retries',
  },
  anthropic: {
    file: './anthropic.js',
    packages: ['@anthropic-ai/sdk'],
    summary: 'the SDK, defaults: 2 retries from 0.5 s on, POST included; Retry-After',
    source: 'https://github.com/anthropics/anthropic-sdk-typescript',
  },
  octokit: {
    file: './octokit.js',
    packages: ['@octokit/plugin-retry', '@octokit/plugin-throttling', '@octokit/core'],
    summary: 'with its plugins for retries and throttling: 3 retries after 1, 4 and 9 s, POST included; ten at once',
    source: 'https://github.com/octokit/plugin-retry.js#readme',
  },
};

/** Address of a contestant's module. */
export function moduleOf({ file }: Contestant): string {
  return new URL(file, import.meta.url).href;
}

export interface NeededPackage {
  readonly name: string;
  /** Undefined when it is not installed. */
  readonly version: string | undefined;
}

/** The packages of a contestant with the versions that its module would get. */
export function packagesOf({ packages }: Contestant): readonly NeededPackage[] {
  return packages.map((name) => ({ name, version: installedVersion(name) }));
}

/** Looked for in the folders, as not every package lets its package.json be resolved. */
function installedVersion(name: string): string | undefined {
  const folders = createRequire(import.meta.url).resolve.paths(name) ?? [];
  const file = folders.map((folder) => join(folder, name, 'package.json')).find((path) => existsSync(path));
  if (file === undefined) return undefined;
  return (JSON.parse(readFileSync(file, 'utf8')) as { version?: string }).version;
}
