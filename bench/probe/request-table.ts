// The table of a probe's requests: attempts, latency of each, and final status, at the real endpoint and on the simulated
// platform side by side. The first ones each have a row; the rest is summed up.

import { spread } from '../books/quantiles.ts';
import { byNumber, finalStatus, type ProbedAttempt, type ProbedRequest } from './request-list.ts';

/** Requests with a row of their own. */
export const MAX_ROWS = 20;
/** Latencies told of a request. */
const MAX_LATENCIES = 8;

type Row = readonly (string | number | undefined)[];
export interface RequestTable {
  readonly head: readonly string[];
  readonly rows: readonly Row[];
}

const SIDE = ['latency an attempt, ms', 'final status'];

export function requestTable(real: readonly ProbedRequest[], simulated: readonly ProbedRequest[]): RequestTable {
  const names = [...new Set([...real, ...simulated].map(({ name }) => name))].sort(byNumber);
  const sides = [real, simulated];
  const first = new Set(names.slice(0, MAX_ROWS));
  const rows: Row[] = [...first].map((name) => [
    name,
    ...sides.flatMap((side) => cellsOf(side.find((each) => each.name === name))),
  ]);
  if (names.length > first.size) {
    const rest = sides.map((side) => side.filter(({ name }) => !first.has(name)));
    rows.push([`${names.length - first.size} more`, ...rest.flatMap(summed)]);
  }
  return { head: ['request', 'attempts', ...SIDE, 'simulated attempts', ...SIDE], rows };
}

function cellsOf(request: ProbedRequest | undefined): Row {
  if (request === undefined) return [undefined, undefined, undefined];
  const { attempts } = request;
  const told = attempts.slice(0, MAX_LATENCIES).map(latency);
  if (attempts.length > told.length) told.push(`${attempts.length - told.length} more`);
  return [attempts.length, told.join(', '), ending(request)];
}

const latency = ({ latencyMs, status }: ProbedAttempt): string =>
  `${latencyMs}${status === undefined ? ' (no reply)' : ''}`;

/** The status, and the reason where the request did not simply succeed. */
function ending(request: ProbedRequest): string {
  const status = finalStatus(request);
  return request.ended === 'done' ? status : `${status}, ${request.ended ?? 'not ended'}`;
}

function summed(requests: readonly ProbedRequest[]): Row {
  const attempts = requests.flatMap((request) => request.attempts);
  const median = spread(attempts.map(({ latencyMs }) => latencyMs))?.median;
  const endings = new Map<string, number>();
  for (const name of requests.map(ending)) endings.set(name, (endings.get(name) ?? 0) + 1);
  const told = [...endings].map(([name, count]) => `${count} × ${name}`).join('; ');
  return [attempts.length, median === undefined ? undefined : `median ${median}`, told];
}
