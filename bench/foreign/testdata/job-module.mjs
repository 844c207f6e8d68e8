// One of the jobs as a client module; which one is told in the query of its address.

import { JOBS } from './jobs.mjs';

export const task = JOBS[new URL(import.meta.url).search.slice(1)];
