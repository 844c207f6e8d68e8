// How much of a bare node:http handler's pace is left when every request goes through decide and the books of a served platform:
//   npm run bench:server
// Each server is a process of its own, the load comes from this one. Rounds alternate; on each side the fastest counts.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Pool } from 'undici';
import { loadScenario } from '../bench/scenario/load.ts';
import { PlatformServer } from '../bench/serve/platform-server.ts';
import { CLIENT_HEADER, itemPath } from '../platform-sim/wire.ts';

const ITEMS = 9000;
const REQUESTS = 20_000;
const ROUNDS = 7;
const CONNECTIONS = 32;
const BODY = '{"data":"ok"}';

interface Ready {
  readonly origin: string;
}
interface Spent {
  readonly cpuMs: number;
}

/** Tells its address, and how much processor time it has used whenever it is asked. */
async function beServer(kind: string): Promise<void> {
  const origin = kind === 'bare' ? await bare() : await served();
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMs: (user + system) / 1000 } satisfies Spent);
  });
  process.send?.({ origin } satisfies Ready);
}

async function bare(): Promise<string> {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': BODY.length });
    response.end(BODY);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The storm night with its limits out of reach and no latency: every gate is passed, every draw is made. */
async function served(): Promise<string> {
  const { scenario } = loadScenario('storm-night');
  const gates = scenario.profile.gates.map((gate) => {
    if (gate.gate === 'edge_token_bucket') return { ...gate, refillPerS: 1_000_000, burst: 1_000_000 };
    return gate.gate === 'monthly_quota' ? { ...gate, calls: 1_000_000_000 } : gate;
  });
  const latencies = { latencyMs: [0, 0], rejectionLatencyMs: [0, 0], overheadMs: 0 } as const;
  const fast = { ...scenario, profile: { ...scenario.profile, ...latencies, gates } };
  const server = new PlatformServer({ scenario: fast, seed: 1, speed: 1, host: '127.0.0.1', port: 0, token: 'bench' });
  await server.listen();
  return server.origin;
}

interface Side {
  readonly child: ChildProcess;
  readonly pool: Pool;
  perSecond: number;
  cpuMsPerThousand: number;
}

async function startSide(kind: string): Promise<Side> {
  const child = fork(fileURLToPath(import.meta.url), [kind]);
  const [{ origin }] = (await once(child, 'message')) as [Ready];
  const pool = new Pool(origin, { connections: CONNECTIONS, pipelining: 1 });
  return { child, pool, perSecond: 0, cpuMsPerThousand: Number.POSITIVE_INFINITY };
}

async function cpuMs(child: ChildProcess): Promise<number> {
  child.send('cpu');
  const [spent] = (await once(child, 'message')) as [Spent];
  return spent.cpuMs;
}

async function round(side: Side): Promise<void> {
  const headers = { [CLIENT_HEADER]: 'bench' };
  let left = REQUESTS;
  const lane = async () => {
    while (left-- > 0) {
      const { body } = await side.pool.request({ method: 'GET', path: itemPath((left % ITEMS) + 1), headers });
      await body.dump();
    }
  };
  const cpuBefore = await cpuMs(side.child);
  const start = performance.now();
  await Promise.all(Array.from({ length: CONNECTIONS }, lane));
  const seconds = (performance.now() - start) / 1000;
  const cpu = (await cpuMs(side.child)) - cpuBefore;
  side.perSecond = Math.max(side.perSecond, REQUESTS / seconds);
  side.cpuMsPerThousand = Math.min(side.cpuMsPerThousand, (cpu / REQUESTS) * 1000);
}

function say(what: string, value: string, wanted = ''): void {
  process.stdout.write(`${what.padEnd(62)}${value.padStart(12)}  ${wanted}\n`);
}

async function measure(): Promise<void> {
  const bareSide = await startSide('bare');
  const servedSide = await startSide('served');
  // The first round of each warms up.
  for (let each = 0; each <= ROUNDS; each++) {
    for (const side of [bareSide, servedSide]) {
      if (each === 1) Object.assign(side, { perSecond: 0, cpuMsPerThousand: Number.POSITIVE_INFINITY });
      await round(side);
    }
  }
  const ratio = servedSide.perSecond / bareSide.perSecond;
  // Where the load is what is slow, only the processor time tells the two apart.
  const cpuRatio = bareSide.cpuMsPerThousand / servedSide.cpuMsPerThousand;
  const verdict = (of: number) => `${of >= 0.6 ? 'met' : 'NOT MET'} (wanted: at least 0.6)`;
  say('bare node:http handler, requests a second', Math.round(bareSide.perSecond).toLocaleString('en-US'));
  say('served platform, requests a second', Math.round(servedSide.perSecond).toLocaleString('en-US'));
  say('  ratio', ratio.toFixed(2), verdict(ratio));
  say('bare, processor time of the server, us a request', bareSide.cpuMsPerThousand.toFixed(0));
  say('served platform, the same', servedSide.cpuMsPerThousand.toFixed(0));
  say('  ratio of what a busy processor would serve', cpuRatio.toFixed(2), verdict(cpuRatio));
  for (const { pool, child } of [bareSide, servedSide]) {
    await pool.close();
    child.kill();
  }
  process.exitCode = Math.min(ratio, cpuRatio) >= 0.6 ? 0 : 4;
}

if (process.send !== undefined && process.argv[2] !== undefined) await beServer(process.argv[2]);
else await measure();
