// Sends hostile exchanges to a served platform, some at a time, and looks at what comes back: HTTP or nothing, and none of what was
// sent. Every exchange has an end, so that a server that hangs is found out and does not hang the fuzzing.

import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { WallClock } from '../clocks/wall-clock.ts';
import { type HostileExchange, hostileExchange, MARK } from './hostile.ts';

export interface FuzzSettings {
  readonly origin: string;
  readonly seed: number;
  readonly exchanges: number;
  /** Exchanges at a time. */
  readonly lanes: number;
}

export interface FuzzReport {
  /** Exchanges by kind, and first lines of answers by status. */
  readonly kinds: Readonly<Record<string, number>>;
  readonly statuses: Readonly<Record<string, number>>;
  /** What must not be; at most MAX_PROBLEMS. */
  readonly problems: readonly string[];
}

const MAX_PROBLEMS = 20;
/** Real time: a pause in a slow request, and after which an exchange without an end is a problem. */
const PAUSE_MS = 2;
const PATIENCE_MS = 30_000;

export async function fuzz({ origin, seed, exchanges, lanes }: FuzzSettings): Promise<FuzzReport> {
  const kinds: Record<string, number> = {};
  const statuses: Record<string, number> = {};
  const problems: string[] = [];
  let next = 0;
  const lane = async () => {
    while (next < exchanges && problems.length < MAX_PROBLEMS) {
      const number = next++;
      const exchange = hostileExchange(seed, number);
      kinds[exchange.kind] = (kinds[exchange.kind] ?? 0) + 1;
      const answer = await send(origin, exchange);
      const status = /^HTTP\/1\.1 ([0-9]{3}) /.exec(answer)?.[1] ?? (answer === '' ? 'none' : 'no HTTP');
      statuses[status] = (statuses[status] ?? 0) + 1;
      const wrong = wrongWith(status, answer);
      if (wrong !== undefined) problems.push(`exchange ${number} of seed ${seed} (${exchange.kind}): ${wrong}`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return { kinds, statuses, problems };
}

function wrongWith(status: string, answer: string): string | undefined {
  if (answer.includes(MARK)) return 'something of the request came back';
  if (status === 'no HTTP') return 'the answer is no HTTP';
  return answer === HANGS ? 'no end' : undefined;
}

const HANGS = 'HTTP/1.1 000 hangs';

/** What came back, until the server closed or had answered. */
async function send(origin: string, { pieces, ending }: HostileExchange): Promise<string> {
  const clock = new WallClock();
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  let answer = '';
  const answered = new Promise<void>((resolve) => {
    socket.setEncoding('latin1').on('data', (text: string) => {
      answer += text;
      resolve();
    });
  });
  // A connection that the server ends while we still write is no news.
  const closed = new Promise<void>((resolve) => {
    socket.on('error', () => resolve());
    socket.on('close', () => resolve());
  });
  const stopTimer = clock.after(PATIENCE_MS, () => {
    answer = HANGS;
    socket.destroy();
  });
  await Promise.race([once(socket, 'connect').catch(() => undefined), closed]);
  for (const piece of pieces) {
    if (ending === 'slow') await clock.sleep(PAUSE_MS);
    if (!socket.destroyed) await written(socket, piece);
  }
  if (ending === 'finish' && !socket.destroyed) socket.end();
  if (ending !== 'leave' && ending !== 'reset') await Promise.race([answered, closed]);
  if (ending === 'leave') socket.destroy();
  else socket.resetAndDestroy();
  await closed;
  stopTimer();
  return answer;
}

const written = (socket: Socket, piece: string | Buffer): Promise<void> =>
  new Promise((resolve) => socket.write(piece, () => resolve()));
