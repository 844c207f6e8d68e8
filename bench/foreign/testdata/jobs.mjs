// Small jobs that fetch items, four at a time, as their authors would write them: none knows of the tool. Used as a whole
// program by job.mjs and as a client module by job-module.mjs.

import axios from 'axios';
import axiosRetry from 'axios-retry';
import { Agent, request, RetryAgent } from 'undici';

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function eachItem(items, work) {
  let next = 1;
  const lane = async () => {
    while (next <= items) await work(next++).catch(() => {});
  };
  await Promise.all([1, 2, 3, 4].map(lane));
}

async function withFetch({ items, itemUrl }) {
  await eachItem(items, async (item) => {
    for (let attempt = 1; attempt <= 4; attempt++) {
      const response = await fetch(itemUrl(item));
      await response.text();
      if (response.ok) return;
      await sleep(100 * 2 ** attempt * Math.random());
    }
  });
}

async function withAxios({ items, itemUrl }) {
  const client = axios.create({ timeout: 5000 });
  axiosRetry(client, { retries: 3, retryDelay: axiosRetry.exponentialDelay, retryCondition: () => true });
  await eachItem(items, (item) => client.get(itemUrl(item)));
}

async function withUndici({ items, itemUrl }) {
  const dispatcher = new RetryAgent(new Agent({ connections: 4 }));
  await eachItem(items, async (item) => {
    const { body } = await request(itemUrl(item), { dispatcher });
    await body.text();
  });
}

export const JOBS = { fetch: withFetch, axios: withAxios, undici: withUndici };
