// `storm probe`: a strategy against a real endpoint, with a budget of calls that must be named and a cap on the rate. Loopback
// needs no leave; any other host needs the word that it is yours.

import type { Argv } from 'yargs';
import type { Reply } from '../../../clients/ports.ts';
import { CATALOGUE } from '../../../clients/strategies/catalogue.ts';
import { WallClock } from '../../clocks/wall-clock.ts';
import { inputMistake } from '../../input-error.ts';
import { type ProbeReport, type ProbeSettings, probe, simulatedProbe } from '../../probe/probe.ts';
import { requestTable } from '../../probe/request-table.ts';
import { UrlTransport } from '../../probe/url-transport.ts';
import { loadScenario } from '../../scenario/load.ts';
import { ExitError } from '../exit-codes.ts';
import { intOption, numberOption } from '../options.ts';
import { line, mark, shown, table } from '../screen.ts';
import { headersFrom, targetOf } from '../target.ts';

export const command = 'probe';
export const describe = 'Try a strategy on a real endpoint, within a small budget, beside the simulated platform';

const MAX_CALLS = 1000;

export const builder = (yargs: Argv) =>
  yargs
    .option('target', { type: 'string', demandOption: true, describe: 'URL of the endpoint' })
    .option('calls', {
      demandOption: true,
      coerce: intOption('--calls', 1, MAX_CALLS),
      describe: 'calls at most, retries included',
    })
    .option('strategy', {
      type: 'string',
      default: 'guarded',
      describe: 'a strategy of the catalogue (storm strategies)',
    })
    .option('requests', {
      coerce: intOption('--requests', 1, MAX_CALLS),
      describe: 'requests to make; a third of the calls when left out',
    })
    .option('rate', { default: 2, coerce: numberOption('--rate', 0.01, 100), describe: 'calls a second at most' })
    .option('expect', { type: 'string', describe: 'regular expression that the body of a success must match' })
    .option('header-env', {
      type: 'string',
      array: true,
      describe: 'NAME=VARIABLE: a header whose value is in an environment variable',
    })
    .option('scenario', { type: 'string', default: 'storm-night', describe: 'whose platform to put beside it' })
    .option('yes-this-is-mine', { type: 'boolean', default: false, describe: 'needed for any host but loopback' })
    .example('$0 probe --target http://127.0.0.1:8080/v1/items/1 --calls 20', 'twenty calls at most, two a second')
    .example(
      '$0 probe --target http://127.0.0.1:8080/ --calls 9 --strategy ladder --expect \'"ok"\'',
      'and look at the body',
    );

export interface ProbeOptions {
  readonly target: string;
  readonly calls: number;
  readonly strategy: string;
  readonly requests?: number | undefined;
  readonly rate: number;
  readonly expect?: string | undefined;
  readonly headerEnv?: readonly string[] | undefined;
  readonly scenario: string;
  readonly yesThisIsMine: boolean;
}

export async function handler(options: ProbeOptions): Promise<void> {
  const target = targetOf(options);
  const strategy = Object.hasOwn(CATALOGUE, options.strategy) ? CATALOGUE[options.strategy]?.settings : undefined;
  if (strategy === undefined)
    throw inputMistake('command line', '--strategy', options.strategy, `one of ${Object.keys(CATALOGUE).join(', ')}`);
  const { scenario } = loadScenario(options.scenario);
  const accepts = acceptance(options.expect);
  const headers = headersFrom(options.headerEnv ?? []);
  const requests = options.requests ?? Math.ceil(options.calls / 3);
  const settings: ProbeSettings = { strategy, requests, calls: options.calls, perS: options.rate, seed: 1 };
  const transport = new UrlTransport(target, strategy.scheduler.concurrency, headers);
  let real: ProbeReport;
  try {
    real = await probe(settings, { clock: new WallClock(), transport }, accepts);
  } finally {
    await transport.close();
  }
  line(
    `${mark.strong(options.strategy)} against ${target.origin}${target.pathname}, beside the platform of ${scenario.name}`,
  );
  const simulated = await simulatedProbe(settings, scenario);
  line(comparison(real, simulated));
  const { head, rows } = requestTable(real.requests, simulated.requests);
  line();
  line(table(head, rows));
  if (transport.failures.length > 0) line(`attempts without a reply: ${transport.failures.join(', ')}`);
  if (real.replies === 0) throw new ExitError('checkFailed', `no call got a reply from ${target.origin}`);
}

function acceptance(expect: string | undefined): ((reply: Reply) => boolean) | undefined {
  if (expect === undefined) return undefined;
  try {
    const pattern = new RegExp(expect);
    return ({ body }) => pattern.test(body);
  } catch {
    throw inputMistake('command line', '--expect', expect, 'a regular expression');
  }
}

function comparison(real: ProbeReport, simulated: ProbeReport): string {
  const rows: [string, (report: ProbeReport) => string][] = [
    ['requests', ({ operations }) => shown(operations)],
    ['calls', ({ calls }) => shown(calls)],
    ['replies', ({ replies }) => shown(replies)],
    ['429 of an unnamed limit', ({ unlabelledLimits }) => shown(unlabelledLimits)],
    ['attempts a request', ({ attemptsPerRequest }) => attemptsPerRequest.toFixed(2)],
    ['latency an attempt, median, ms', ({ latencyMs }) => shown(latencyMs?.median)],
    ['latency an attempt, 99 %, ms', ({ latencyMs }) => shown(latencyMs?.high)],
    [
      'ended',
      ({ endings }) =>
        Object.entries(endings)
          .map(([name, count]) => `${count} ${name}`)
          .join('; '),
    ],
    ['task', ({ stopReason }) => stopReason],
  ];
  return table(
    ['figure', 'this endpoint', 'simulated'],
    rows.map(([name, of]) => [name, of(real), of(simulated)]),
  );
}
