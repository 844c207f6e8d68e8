// `storm serve`: the platform of a scenario as an HTTP server on the wall clock, for clients in any language.

import { randomBytes } from 'node:crypto';
import type { Argv } from 'yargs';
import { InputError, inputMistake } from '../../input-error.ts';
import { freeResultsPath, ResultFolder } from '../../results-folder/result-folder.ts';
import { loadScenario } from '../../scenario/load.ts';
import type { Scenario } from '../../scenario/scenario.ts';
import type { PlatformServer } from '../../serve/platform-server.ts';
import { writeServed } from '../../serve/served-folder.ts';
import type { ServedSummary } from '../../serve/served-ledger.ts';
import { ExitError } from '../exit-codes.ts';
import { drainOnInterrupt } from '../interrupt.ts';
import { balanceLine } from '../night-screen.ts';
import { intOption, numberOption } from '../options.ts';
import { line, mark, note, shown, table } from '../screen.ts';

export const command = 'serve';
export const describe = 'Serve the platform over HTTP on the wall clock, for clients in any language';

const TOKEN_VARIABLE = 'STORM_TOKEN';

export const builder = (yargs: Argv) =>
  yargs
    .option('profile', { type: 'string', default: 'storm-night', describe: 'a YAML file, or the name of a preset' })
    .option('port', {
      default: 0,
      coerce: intOption('--port', 0, 65_535),
      describe: 'port to listen on; 0: a free one',
    })
    .option('host', { type: 'string', default: '127.0.0.1', describe: 'address to listen on' })
    .option('expose', {
      type: 'boolean',
      default: false,
      describe: 'allow a --host that other machines reach: whoever reaches it uses up the quota',
    })
    .option('speed', {
      type: 'number',
      default: 1,
      coerce: numberOption('--speed', 0.1, 1000),
      describe: 'scenario time that passes in a unit of real time',
    })
    .option('seed', {
      default: 1,
      coerce: intOption('--seed', 0, Number.MAX_SAFE_INTEGER),
      describe: 'seed of the night',
    })
    .option('out', {
      type: 'string',
      describe: 'results folder, written at the end; results/serve-<scenario> when left out',
    })
    .example('$0 serve --port 8080', 'then: curl -i http://127.0.0.1:8080/v1/items/1')
    .example('$0 serve --profile tiny-quota --speed 20', 'twenty times as fast')
    .epilogue(
      `Clients are told apart by the header x-client. Control under /_storm/ (reset, tables, ledger, stop) needs the token that
is printed, or that of the environment variable ${TOKEN_VARIABLE}; /metrics is for Prometheus.`,
    );

export interface ServeOptions {
  readonly profile: string;
  readonly port: number;
  readonly host: string;
  readonly expose: boolean;
  readonly speed: number;
  readonly seed: number;
  readonly out?: string | undefined;
}

export async function handler(options: ServeOptions): Promise<void> {
  const { host, port, speed, seed } = options;
  checkHost(options);
  const { scenario, text } = loadScenario(options.profile);
  const { token, told } = controlToken();
  const folder = new ResultFolder(options.out ?? freeResultsPath(`serve-${scenario.name}`));
  // Not before it is wanted: the library of the metrics would make every other command start later.
  const { PlatformServer } = await import('../../serve/platform-server.ts');
  const served = new PlatformServer({ scenario, seed, speed, host, port, token });
  try {
    const interrupted = new Promise<'interrupted'>((resolve) => {
      drainOnInterrupt(() => {
        resolve('interrupted');
        return true;
      });
    });
    await listening(served);
    announce(served, told ? token : undefined);
    const end = await Promise.race([served.stopAsked, interrupted]);
    await served.drain();
    const summary = writeServed(folder.draft, text, served);
    folder.commit();
    print(summary, folder.shown);
    if (!summary.books.balance)
      throw new ExitError('booksDiffer', `the books differ: see the ledger files in ${folder.shown}`);
    if (end === 'interrupted') throw new ExitError('interrupted', 'interrupted; the results are whole up to then');
  } finally {
    served.close();
    folder.discard();
  }
}

const LOOPBACK = /^(127\.[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}|::1|localhost)$/;

function checkHost({ host, expose }: ServeOptions): void {
  if (typeof host !== 'string') throw inputMistake('command line', '--host', host, 'the option once');
  if (LOOPBACK.test(host)) return;
  if (!expose) throw inputMistake('command line', '--host', host, 'a loopback address, or any address with --expose');
  note(mark.bad(`warning: ${host} may be reached from other machines; who reaches it can use up the quota`));
}

const TOKEN = /^[\x21-\x7e]{8,200}$/;

/** The token of the environment, or one of our own that has to be told. */
function controlToken(): { readonly token: string; readonly told: boolean } {
  const given = process.env[TOKEN_VARIABLE];
  if (given === undefined) return { token: randomBytes(24).toString('base64url'), told: true };
  // What was given is not shown.
  if (!TOKEN.test(given))
    throw new InputError(
      `environment: ${TOKEN_VARIABLE}: not usable; allowed: 8 to 200 visible ASCII characters, no space`,
    );
  return { token: given, told: false };
}

async function listening(served: PlatformServer): Promise<void> {
  try {
    await served.listen();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const { host, port } = served.settings;
    if (code === 'EADDRINUSE' || code === 'EACCES')
      throw inputMistake(
        'command line',
        '--port',
        port,
        `a port that can be had, or 0 for a free one (this one: ${code})`,
      );
    if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
      throw inputMistake('command line', '--host', host, `an address of this machine (this one: ${code})`);
    throw error;
  }
}

/** The token goes to stderr alone: stdout may be kept. */
function announce({ origin, settings }: PlatformServer, token: string | undefined): void {
  line(origin);
  const { scenario, seed, speed } = settings;
  note(`serving ${scenario.name}, seed ${seed}, speed ${speed}; an interrupt ends it and writes the results`);
  if (token !== undefined) note(`control token: ${token}`);
  if (speed !== 1 && tellsDates(scenario))
    note('this profile tells its waits as dates, which at another speed than 1 are not those of a client');
}

const tellsDates = ({ profile }: Scenario): boolean =>
  profile.gates.some((gate) => 'retryAfter' in gate && gate.retryAfter.form === 'http-date');

function print({ scenario, seed, facts, platform, clients, books }: ServedSummary, path: string): void {
  line(`${mark.strong(scenario)}  seed ${seed}, wall clock, ${shown(facts.ended_s)} s of scenario time`);
  line();
  const rows = clients.map(({ client, calls, share_of_billed }) => {
    const { done, early_retries } = facts.clients[client] ?? { done: 0, early_retries: 0 };
    const limited = calls.edge_rejected + calls.soft_limited;
    const share = share_of_billed === null ? '' : `${shown(share_of_billed * 100)} %`;
    return [
      client,
      calls.total,
      calls.billed,
      share,
      done,
      limited,
      calls.quota_rejected,
      early_retries,
      calls.unheard,
    ];
  });
  const head = ['client', 'calls', 'billed', 'of billed', 'done', 'limited', 'after quota', 'early', 'unheard'];
  line(rows.length === 0 ? 'no client came' : table(head, rows));
  line();
  if (platform.quota !== null) line(`quota: ${shown(platform.quota.left)} left of ${shown(platform.quota.calls)}`);
  const refused = Object.entries(facts.refused).filter(([, count]) => count > 0);
  if (refused.length > 0) line(`refused: ${refused.map(([reason, count]) => `${reason} ${shown(count)}`).join(', ')}`);
  line(balanceLine(books.balance));
  line(`results: ${path}`);
}
