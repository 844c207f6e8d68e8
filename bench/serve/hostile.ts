// What a hostile or broken client may send, drawn from a seed: each exchange is a list of pieces of bytes, and what is done with the
// connection after them.

import { type Stream, stream, wholeBetween } from '../../platform-sim/draws.ts';

export interface HostileExchange {
  readonly kind: string;
  readonly pieces: readonly (string | Buffer)[];
  /**
   * `wait` for the server to answer or close; `finish`: say first that nothing more comes, and wait; `leave` without a word as soon
   * as it is sent; `reset` the connection then; `slow`: as wait, but with a pause between the pieces.
   */
  readonly ending: 'wait' | 'finish' | 'leave' | 'reset' | 'slow';
}

/** Stands in what is sent wherever there is room, and must come back nowhere. */
export const MARK = 'zq7mark';

interface Dice {
  /** A whole number from low to high. */
  whole(low: number, high: number): number;
  pick<T>(from: readonly T[]): T;
  bytes(count: number): Buffer;
}

type Make = (dice: Dice) => HostileExchange;

const HOST = 'host: a\r\n';
const get = (path: string, more = ''): string => `GET ${path} HTTP/1.1\r\n${HOST}${more}\r\n`;
const post = (more: string): string => `POST /v1/items/3 HTTP/1.1\r\n${HOST}${more}\r\n`;
type Pieces = readonly (string | Buffer)[];
const wait = (kind: string, ...pieces: Pieces): HostileExchange => ({ kind, pieces, ending: 'wait' });
const finish = (kind: string, ...pieces: Pieces): HostileExchange => ({ kind, pieces, ending: 'finish' });

const LINES = [
  `${MARK}\r\n\r\n`,
  `GET\r\n\r\n`,
  `GET  /  HTTP/1.1\r\n${HOST}\r\n`,
  `GET /${MARK} HTTP/7.3\r\n${HOST}\r\n`,
  `get / http/1.1\r\n${HOST}\r\n`,
  `GET / HTTP/1.1\n\n`,
  `\r\n\r\n\r\nGET / HTTP/1.1\r\n\r\n`,
  `GET /\u0000 HTTP/1.1\r\n${HOST}\r\n`,
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  `CONNECT ${MARK}:1 HTTP/1.1\r\n${HOST}\r\n`,
  `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`,
  `TRACE /${MARK} HTTP/1.1\r\n${HOST}\r\n`,
];

const HEADERS = [
  `${MARK}\r\n`,
  `: ${MARK}\r\n`,
  `x y: ${MARK}\r\n`,
  ` folded: ${MARK}\r\n`,
  `x: a\u0000b\r\n`,
  `expect: ${MARK}\r\n`,
  `upgrade: websocket\r\nconnection: upgrade\r\n`,
  'content-length: 1\r\ncontent-length: 2\r\n',
  'content-length: -1\r\n',
  'content-length: 99999999999999999999\r\n',
  'content-length: 5\r\ntransfer-encoding: chunked\r\n',
  `transfer-encoding: ${MARK}\r\n`,
  `origin: http://${MARK}\r\n`,
  'sec-fetch-site: cross-site\r\n',
  `x-client: ../${MARK}\r\n`,
  `x-client: ${MARK}\r\nx-client: b\r\n`,
];

const CHUNKS = [
  `${MARK}\r\n`,
  '-1\r\nabc\r\n',
  'ffffffffffffffffff\r\nabc\r\n',
  '3\r\nabcdef\r\n',
  `3;${'e'.repeat(20_000)}\r\nabc\r\n`,
  '3\r\nabc\r\n0\r\n',
];

const PATHS = [
  '/_storm/../../etc/passwd',
  '/_storm/tables?client=../../../etc/passwd&format=csv',
  '/_storm/%2e%2e/%2e%2e/etc/passwd',
  '/_storm/..%5c..%5cwindows',
  '/_storm/__proto__',
  '/../../../etc/passwd',
  '//_storm/stop',
  '/%5fstorm/stop',
  '/%00%ff%fe',
  '/v1/items/-1',
  '/v1/items/1e9',
  '/v1/items/999999999',
  '/v1/items/99999999999999999999999999',
  `/?${MARK}=${MARK}`,
];

const CONTROLS = ['reset', 'tables', 'ledger', 'stop', MARK];
const TOKENS = [
  '',
  'Bearer',
  'Bearer ',
  `Bearer ${MARK}`,
  `Basic ${MARK}`,
  'Bearer null',
  `bearer  ${'a'.repeat(9000)}`,
];

/** Each with how often it comes, in parts of all. */
const MAKES: readonly (readonly [parts: number, make: Make])[] = [
  [10, ({ pick }) => wait('request line', pick(LINES))],
  [10, ({ pick }) => wait('header line', get(`/v1/items/1`, pick(HEADERS)))],
  [3, ({ whole }) => wait('giant headers', get('/', `x: ${MARK.padEnd(whole(17_000, 60_000), 'a')}\r\n`))],
  [3, ({ whole }) => wait('many headers', get('/', `x-${MARK}: 1\r\n`.repeat(whole(900, 2000))))],
  [3, ({ whole }) => wait('long path', get(`/${MARK.padEnd(whole(5000, 15_000), '/')}`))],
  [10, ({ pick }) => finish('chunking', post('transfer-encoding: chunked\r\n'), pick(CHUNKS))],
  [12, ({ pick }) => wait('path', get(pick(PATHS)))],
  [
    10,
    ({ pick }) =>
      wait('token', post(`authorization: ${pick(TOKENS)}\r\n`).replace('/v1/items/3', `/_storm/${pick(CONTROLS)}`)),
  ],
  [8, ({ bytes, whole }) => finish('binary', bytes(whole(1, 600)), '\r\n\r\n')],
  [4, ({ bytes, whole }) => finish('binary header', `GET / HTTP/1.1\r\n${HOST}x: `, bytes(whole(1, 600)), '\r\n\r\n')],
  [8, ({ whole }) => ({ kind: 'early close', pieces: [get('/v1/items/4').slice(0, whole(1, 40))], ending: 'leave' })],
  [
    6,
    ({ whole }) => ({
      kind: 'reset',
      pieces: [post('content-length: 500\r\n'), MARK.repeat(whole(1, 60))],
      ending: 'reset',
    }),
  ],
  [
    3,
    () => ({
      kind: 'slow',
      pieces: [...get('/v1/items/5')].flatMap((_, i, all) => (i % 12 === 0 ? all.slice(i, i + 12).join('') : [])),
      ending: 'slow',
    }),
  ],
  [5, ({ whole }) => ({ kind: 'pipeline', pieces: [get('/v1/items/6').repeat(whole(2, 60))], ending: 'reset' })],
  [6, ({ whole }) => wait('new path', get(`/${MARK}/${whole(0, 2 ** 31)}`))],
  [6, ({ whole }) => wait('new client', get('/v1/items/7', `x-client: c${whole(0, 2 ** 31)}\r\n`))],
  [1, () => wait('long body', post(`content-length: ${1 << 22}\r\n`), 'a'.repeat(5000))],
  [2, ({ whole }) => wait('call', get(`/v1/items/${whole(1, 900)}`, 'connection: close\r\n'))],
];
const ALL_PARTS = MAKES.reduce((sum, [parts]) => sum + parts, 0);

/** The exchange of this number; the same seed and number give the same bytes. */
export function hostileExchange(seed: number, number: number): HostileExchange {
  const dice = diceOf(stream(seed, 'hostile'), number);
  let left = dice.whole(1, ALL_PARTS);
  for (const [parts, make] of MAKES) {
    left -= parts;
    if (left <= 0) return make(dice);
  }
  throw new Error('the parts do not make the whole');
}

function diceOf(draw: Stream, number: number): Dice {
  let drawn = 0;
  const whole = (low: number, high: number) => wholeBetween(low, high, draw(number, drawn++));
  return {
    whole,
    pick: <T>(from: readonly T[]) => from[whole(0, from.length - 1)] as T,
    bytes: (count) => Buffer.from(Array.from({ length: count }, () => whole(0, 255))),
  };
}
