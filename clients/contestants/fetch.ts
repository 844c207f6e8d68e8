// Node's own fetch with nothing around it: one attempt, the one that a retrying client is measured against.

export { fetchItem as default } from './fetch-item.ts';
